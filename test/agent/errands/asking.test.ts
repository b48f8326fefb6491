import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlannerSite, startPlannerSite } from "../../_harness/planner-site.ts";

const PAGES = {
  "/twins": `<main>${["Kettle", "Mug"]
    .map(
      (name) => `<section><h2>${name}</h2><form method="post" action="/bought"><button>Buy</button></form></section>`,
    )
    .join("")}</main>`,
  "/bought": "<h1>Thank you</h1><p>Your order number is B-1042.</p>",
  "/confirm": `<form method="post" action="/deleted" onsubmit="return confirm('Really delete it?')"><button>Delete</button></form>`,
  "/deleted": "<h1>Deleted</h1>",
  "/prompt": `<button onclick="const name = prompt('Name of the list?'); if (name) { list.action = '/named-' + name; list.submit(); }">Add</button>
    <form id="list" method="post"></form>`,
  "/named-Soups": "<h1>Soups</h1><p>The list was added.</p>",
  "/modal": `<button onclick="document.querySelector('dialog').showModal()">Delete</button>
    <dialog aria-label="Sure?"><p>Delete the book?</p><form method="post" action="/deleted"><button>Yes, delete</button></form>
    <button onclick="this.parentNode.close()">No, keep it</button></dialog>`,
  "/banner": `<p>News</p><a href="/elsewhere">Read on</a>
    <div role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fff"><p>We use cookies.</p>
    <button onclick="posted('all')">Accept all</button><button onclick="this.parentNode.remove()">Reject all</button></div>
    <script>function posted(what) { navigator.sendBeacon("/cookies-" + what); }</script>`,
};

let site: PlannerSite;

beforeAll(async () => {
  site = await startPlannerSite(PAGES);
});

afterAll(() => site[Symbol.asyncDispose]());

describe("a target that could be one of several", () => {
  test("is refused before anything is sent, and the candidates are listed", async () => {
    const { outcome } = await site.run("/twins", "Click Buy.");
    expect(outcome).toMatchObject({ kind: "failed", failure: "unsupported_prompt", code: "AMBIGUOUS" });
    expect(outcome.reason).toContain("Kettle");
    expect(outcome.reason).toContain("Mug");
    expect(site.posted).toEqual([]);
  });

  test("is clicked when the prompt says where, and a number in a sentence is read", async () => {
    const { outcome, done } = await site.run("/twins", "Click Buy next to Mug and report the order number.");
    expect(done).toEqual(['Click the button "Buy".']);
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "B-1042" } });
    expect(site.posted).toEqual(["/bought"]);
  });
});

describe("a page that asks for confirmation", () => {
  test("is answered no when the prompt does not say, and the run fails", async () => {
    const { outcome } = await site.run("/confirm", "Click Delete.");
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "CONFIRMATION_NEEDED" });
    expect(site.posted).toEqual([]);
  });

  test("is answered yes when the prompt says so", async () => {
    const { outcome } = await site.run("/confirm", "Click Delete and accept the dialog.");
    expect(outcome.kind).toBe("verified");
    expect(site.posted).toEqual(["/deleted"]);
  });

  test.each([
    ["/confirm", "Click Delete and confirm it."],
    ["/confirm", "Click Delete and say yes."],
    ["/confirm", "Click Delete, then press OK."],
    ["/modal", "Click Delete and confirm it."],
    ["/modal", "Click Delete and click Yes, delete."],
  ])("is answered yes on %s: %s", async (path, prompt) => {
    const { outcome } = await site.run(path, prompt);
    expect(outcome.kind).toBe("verified");
    expect(site.posted).toEqual(["/deleted"]);
  });

  test.each([
    'Click Add and answer the dialog with "Soups".',
    'Click Add, type "Soups" into the dialog and accept it.',
    'Click Add, enter "Soups" and press OK.',
  ])("gets the text from the prompt: %s", async (prompt) => {
    const { outcome } = await site.run("/prompt", prompt);
    expect(outcome.kind).toBe("verified");
    expect(site.posted).toEqual(["/named-Soups"]);
  });

  test("gets no text unless the prompt says to accept", async () => {
    const { outcome } = await site.run("/prompt", 'Click Add and type "Soups" into the prompt.');
    expect(outcome).toMatchObject({ kind: "failed", code: "CONFIRMATION_NEEDED" });
    expect(site.posted).toEqual([]);
  });

  test("about cookies is declined when it covers the target", async () => {
    const { outcome, done } = await site.run("/banner", 'Click "Read on".');
    expect(done.at(-2)).toContain("Reject all");
    expect(outcome).toMatchObject({ kind: "verified", result: { final_url: `${site.url}/elsewhere` } });
    expect(site.posted).toEqual([]);
  });
});
