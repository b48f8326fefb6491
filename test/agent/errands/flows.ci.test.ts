import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlannerSite, startPlannerSite } from "../../_harness/planner-site.ts";

const PAGES = {
  "/form": `<form method="post" action="/refused"><label>Name <input name="name"></label>
    <label>Password <input type="password" name="password"></label><button>Send</button></form>`,
  "/refused": `<div role="alert"><h2>Please check what you entered</h2><ul><li>Please enter a valid name, as it stands
    on the card.</li><li>The card was declined by the bank that issued it.</li></ul></div>`,
  "/plain": `<form method="post" action="/refused-plainly"><label>Code <input name="code"></label><button>Apply</button></form>`,
  "/profile": `<button onclick="fetch('/refreshed', { method: 'POST' })">Refresh the prices</button>
    <form method="post" action="/kept"><label>Nickname <input name="nick" value="Old"></label><button>Keep it</button></form>`,
  "/refused-plainly": `<h1>Basket</h1><p>This code is not valid any more.</p>`,
  "/tabs": `<div role="tablist">${["One", "Two", "Three"]
    .map((name, index) => `<button role="tab" aria-selected="${index === 0}" onclick="show(${index})">${name}</button>`)
    .join("")}</div><div id="panel">First panel</div>
    <script>function show(index) {
      document.querySelectorAll("[role=tab]").forEach((tab, at) => tab.setAttribute("aria-selected", at === index));
      panel.innerHTML = index === 2 ? '<a href="/elsewhere">The prize</a>' : "Panel " + index;
    }</script>`,
  "/late": `<p id="place">Loading …</p><script>
    setTimeout(() => { place.innerHTML = '<button onclick="this.textContent=\\'Started\\'">Start</button>'; }, 900);</script>`,
  "/order": `<label for="size">Size</label><select id="size"><option>Small</option><option>Large</option></select>
    <fieldset><legend>Colour</legend><label><input type="radio" name="c"> Red</label><label><input type="radio" name="c"> Blue</label></fieldset>
    <label><input type="checkbox"> Gift wrap</label><label>Day <input type="date"></label><label>Note <textarea></textarea></label>
    <output id="out"></output><button onclick="out.textContent = [size.value, ...[...document.querySelectorAll('input, textarea')].map((f) =>
      f.type === 'radio' || f.type === 'checkbox' ? f.checked : f.value)].join('|')">Show</button>`,
};

let site: PlannerSite;

beforeAll(async () => {
  site = await startPlannerSite(PAGES);
});

afterAll(() => site[Symbol.asyncDispose]());

describe("a form", () => {
  test("that the site refuses fails with the site's own message, and its password stays secret", async () => {
    const prompt = 'Type "Jo" into Name, type "hunter2" into Password and click Send.';
    const { outcome, steps } = await site.run("/form", prompt);
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "SITE_REFUSED" });
    expect(outcome.reason).toContain("Please check what you entered");
    expect(outcome.reason).toContain("Please enter a valid name, as it stands on the card.");
    expect(outcome.reason).toContain("The card was declined by the bank that issued it.");
    expect(outcome.kind === "failed" && outcome.message).toContain("did not accept what was entered");
    expect(outcome.kind === "failed" && outcome.message).not.toContain("names for buttons");
    expect(JSON.stringify({ outcome, steps: steps.map(({ why, message }) => [why, message]) })).not.toContain(
      "hunter2",
    );
  });

  test("that the site refuses in a plain line fails with that line", async () => {
    const { outcome } = await site.run("/plain", "Type SPRING into Code and click Apply.");
    expect(outcome).toMatchObject({ kind: "failed", code: "SITE_REFUSED" });
    expect(outcome.reason).toContain("This code is not valid any more.");
  });

  test("is not saved by what was sent before it was filled in", async () => {
    const { outcome } = await site.run("/profile", "Click Refresh the prices. Change the nickname to Rowan.");
    expect(site.posted).toEqual(["/refreshed"]);
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("entered but not saved") });
  });

  test("is filled in, whatever kind its fields are", async () => {
    const { outcome } = await site.run(
      "/order",
      'Choose Large as the size, select Blue, tick "Gift wrap", set the day to March 12, 2026, write "Hello, you" into Note and click Show. Wait until "Large|false|true|true|2026-03-12|Hello, you" appears.',
    );
    expect(outcome).toMatchObject({ kind: "verified" });
  });
});

describe("a target that is not there at once", () => {
  test("is waited for", async () => {
    const { outcome } = await site.run("/late", "Click Start.");
    expect(outcome.kind).toBe("verified");
  });

  test("is not looked for behind tabs that the prompt does not name", async () => {
    const { outcome } = await site.run("/tabs", 'Click "The prize".');
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "NOT_FOUND" });
  });

  test("is found behind the tab that the prompt names", async () => {
    const { outcome } = await site.run("/tabs", 'Open the Three tab and click "The prize".');
    expect(outcome).toMatchObject({ kind: "verified", result: { final_url: `${site.url}/elsewhere` } });
  });

  test("and never appears is named, with similar targets", async () => {
    const { outcome } = await site.run("/form", "Click Send message now.");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "NOT_FOUND" });
    expect(outcome.reason).toContain('the button "Send"');
    expect(site.posted).toEqual([]);
  });
});
