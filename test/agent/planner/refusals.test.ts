import { beforeAll, describe, expect, test } from "vitest";
import { resultOf } from "../../_harness/errands.ts";
import { call, done, type Line } from "../../_harness/model-script.ts";
import { type ModelSite, startModelSite } from "../../_harness/model-site.ts";

let site: ModelSite;

beforeAll(async () => {
  site = await startModelSite({
    "/": `<h1>Tea room</h1><p>Open until 18:30.</p><a href="/menu">Menu</a><a href="https://elsewhere.example/a">Partner</a>
      <form method="post" action="/booked"><label>Name <input name="name"></label><button>Book</button></form>`,
    "/menu": "<h1>Menu</h1><table><tr><th>Tea</th><th>Price</th></tr><tr><td>Oolong</td><td>€4.20</td></tr></table>",
    "/booked": "<h1>Thank you</h1><p>Your table is booked.</p>",
    "/asks": `<h1>Shelf</h1><p id="said">Nothing yet</p>
      <button onclick="document.getElementById('said').textContent = confirm('Delete it all?') ? 'Gone' : 'Kept'">Tidy up</button>`,
  });
  return () => site[Symbol.asyncDispose]();
});

const giveUp: Line = () => call("give_up", { kind: "goal_unreachable", reason: "There is no such thing." });
const oolong = { about: "price", value: "€4.20", quote: "| Oolong | €4.20" };
const toMenu: Line = (turn) => turn.click('link "Menu"');

describe("a requested action is not performed", () => {
  test("when the ref is not on the newest page, and the model is told so", async () => {
    let stale = "";
    const { outcome, steps } = await site.run("What does oolong cost?", [
      (turn) => {
        stale = turn.ref('button "Book"');
        return turn.click('link "Menu"');
      },
      () => call("click", { ref: stale, label: "Book" }),
      () => call("click", { ref: "e999", label: "Oolong" }),
      () => done("Oolong costs €4.20.", { facts: [oolong] }),
    ]);
    expect(outcome.kind).toBe("verified");
    expect(steps).toHaveLength(2);
    expect(site.server.requests[2]?.text).toContain(`there is no ${stale} on the newest page`);
    expect(site.server.requests[3]?.text).toContain("there is no e999 on the newest page");
  });

  test("when the ref belongs to another element than the label says", async () => {
    const { steps } = await site.run("Book a table.", [
      (turn) => call("click", { ref: turn.ref('button "Book"'), label: "Menu" }),
      giveUp,
    ]);
    expect(steps.at(-1)).toMatchObject({ action: "click", outcome: "failed" });
    expect(site.server.lastRequest.text).toContain('is the button "Book", not "Menu"');
    expect(site.posted).toEqual([]);
  });

  test("when the URL is made up, and neither are the actions after it", async () => {
    const { outcome, steps } = await site.run("What does oolong cost?", [
      (turn) => [call("goto", { url: "https://teas.example/prices" }), turn.click('button "Book"')],
      () => call("goto", { url: "https://elsewhere.example/b" }),
      () => call("goto", { url: "/menu" }),
      () => done("Oolong costs €4.20.", { facts: [oolong] }),
    ]);
    expect(outcome.kind).toBe("verified");
    expect(steps.map(({ input }) => input["url"])).toEqual([`${site.url}/`, "/menu"]);
    expect(site.server.requests[1]?.text).toContain("neither in the task nor a link");
    expect(site.posted).toEqual([]);
  });

  test("when a dialog blocks the page and stays unanswered: the dialog is dismissed", async () => {
    const tidy: Line = (turn) => turn.click('button "Tidy up"');
    const { steps } = await site.run("Tidy up the shelf.", [tidy, tidy, tidy, giveUp], { path: "/asks" });
    expect(steps.at(-1)).toMatchObject({ action: "dialog", input: { accept: false }, outcome: "ok" });
    expect(site.server.lastRequest.text).toContain("Kept");
  });
});

describe("a model cannot finish", () => {
  test("with a quote that is on no page", async () => {
    const invented = { about: "price", value: "€3.10", quote: "Oolong €3.10" };
    const claim: Line = () => done("Oolong costs €3.10.", { facts: [invented] });
    const { outcome, verdict } = await site.run("What does oolong cost?", [toMenu, claim]);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", code: "UNPROVEN" });
    expect(verdict).toBeNull();
    expect(site.server.requests).toHaveLength(5);
    expect(site.server.lastRequest.text).toContain("Fact 1: its quote is on no page");
  });

  test("with a number in the answer that no fact contains, but may mention the date", async () => {
    const now = new Date("2026-11-16T09:42:42.042Z");
    const lines: Line[] = [
      toMenu,
      () => done("Oolong costs €42.", { facts: [oolong] }),
      () => done("As of 16 November, oolong costs €4.20.", { facts: [oolong] }),
    ];
    const { outcome } = await site.run("What does oolong cost?", lines, { now });
    expect(outcome.kind).toBe("verified");
    expect(site.server.lastRequest.text).toContain("The answer contains 42");
  });

  test("without a proof", async () => {
    const { outcome } = await site.run("Book a table for Robin Example.", [() => done("Booked.")]);
    expect(outcome).toMatchObject({
      failure: "unverified",
      code: "UNPROVEN",
      reason: expect.stringContaining("no page it saw shows that"),
    });
    expect(site.server.lastRequest.text).toContain("Nothing is proven");
  });

  test("with an action that it has not performed", async () => {
    const claim: Line = () => done("Booked.", { proofs: [{ text: "Tea room" }] });
    const { outcome } = await site.run("Book a table for Robin Example.", [claim]);
    expect(outcome).toMatchObject({ failure: "unverified", code: "UNPROVEN" });
    expect(site.server.lastRequest.text).toContain("nothing was done on the site yet");
  });

  test("in the same turn as an action: it has to see the result first", async () => {
    const book: Line = (turn) => [
      turn.fill('textbox "Name"', "Robin Example"),
      turn.click('button "Book"'),
      done("Booked.", { proofs: [{ text: "Thank you" }] }),
    ];
    const run = await site.run("Book a table for Robin Example.", [
      book,
      () => done("Booked.", { proofs: [{ text: "Your table is booked." }] }),
    ]);
    expect(resultOf(run).evidence.side_effects).toHaveLength(1);
    expect(site.server.requests).toHaveLength(2);
    expect(site.server.lastRequest.text).toContain("were skipped: see the result of the actions first");
  });

  test("without citing its notes about an earlier page", async () => {
    const run = await site.run("What does oolong cost, and until when is the tea room open?", [
      () => [
        call("note", { about: "closing time", value: "18:30", quote: "Open until 18:30." }),
        call("note", { about: "x", value: "7", quote: "Open until 7." }),
      ],
      toMenu,
      () => done("Oolong costs €4.20, open until 18:30.", { facts: [oolong], notes: ["n1"] }),
    ]);
    expect(resultOf(run).final_text).toContain("18:30");
    expect(site.server.requests[1]?.text).toContain("Noted as n1.");
    expect(site.server.requests[1]?.text).toContain("Not noted: its quote is on no page");
    expect(site.server.requests[2]?.text).toContain("n1 closing time: 18:30");
  });
});

test("a model that acts between its claims may claim again and again", async () => {
  const invented: Line = () => done("Oolong costs €4.20.", { facts: [{ about: "price", quote: "Oolong 4.20 euros" }] });
  const look: Line = () => call("find", { words: "caviar" });
  const right: Line = () => done("Oolong costs €4.20.", { facts: [oolong] });
  const lines = [toMenu, invented, invented, look, invented, invented, look, invented, right];
  const { outcome } = await site.run("What does oolong cost?", lines);
  expect(outcome.kind).toBe("verified");
});

describe("extracted data", () => {
  const schema = { type: "object", properties: { oolong_price: { type: "number" } }, required: ["oolong_price"] };
  const says: Line = () => call("fill", { values: [{ leaf: "v1", value: 4.2, quote: "€4.20" }], records: [] });

  test.each([
    ["asks for it", [toMenu, () => call("extract"), says, () => done("Oolong costs €4.20.")] satisfies Line[]],
    ["forgets to ask for it", [toMenu, () => done("Here you are."), says] satisfies Line[]],
  ])("is gathered from the page when the model %s", async (_, lines) => {
    const run = await site.run("Find the price of oolong.", lines, { outputSchema: schema });
    expect(resultOf(run).extracted).toEqual({ oolong_price: 4.2 });
    expect(site.server.requests).toHaveLength(lines.length);
    expect(site.server.requests[0]?.toolNames).toContain("extract");
  });

  test("is shown in the next turn when the model goes on in the same response", async () => {
    const lines: Line[] = [
      toMenu,
      () => [call("extract"), call("find", { words: "Oolong" })],
      says,
      () => done("Oolong costs €4.20."),
    ];
    await site.run("Find the price of oolong.", lines, { outputSchema: schema });
    expect(site.server.lastRequest.text).toContain("Gathered so far");
  });

  test("is listed once, however often it is gathered from one page", async () => {
    const extract: Line = () => call("extract");
    const lines = [toMenu, extract, says, extract, says, () => done("Oolong costs €4.20.")] satisfies Line[];
    await site.run("Find the price of oolong.", lines, { outputSchema: schema });
    expect(site.server.lastRequest.text.match(/Gathered so far/g)).toHaveLength(1);
  });
});

test("a site that refuses is not a policy of this service", async () => {
  const refused: Line = () => call("give_up", { kind: "refused_by_site", reason: "The page is protected." });
  const { outcome } = await site.run("Book a table.", [refused]);
  expect(outcome).toMatchObject({
    failure: "goal_unreachable",
    code: "REFUSED_BY_SITE",
    reason: "The page is protected.",
  });
});

test("reports the reason of a model that gives up, on one line", async () => {
  const { outcome } = await site.run("Book a flight.", [
    () => call("give_up", { kind: "blocked", reason: "No\nway." }),
  ]);
  expect(outcome).toMatchObject({ kind: "failed", failure: "blocked", code: "BLOCKED", reason: "No way." });
});
