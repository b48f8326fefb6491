import { beforeAll, describe, expect, test } from "vitest";
import { useDoubtfulRuns } from "../../_harness/doubtful-runs.ts";
import { done, type Line, play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { casesOfTier } from "../../_harness/tier.ts";

const run = useDoubtfulRuns();
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  return () => model[Symbol.asyncDispose]();
});

/** A whole run: the model says these lines, the last one as often as it is asked, and the judge believes everything. */
async function plan(path: string, prompt: string, ...lines: Line[]) {
  return await run({ prompt, path, planner: await play(model, ...lines) });
}

const fact = (about: string, quote: string) => ({ facts: [{ about, quote }] });
const proof = (text: string) => ({ proofs: [{ text }] });
const rename: Line = (turn) => turn.fill('textbox "Display name"', "New name");
const save: Line = (turn) => turn.click('button "Save"');
const RENAME = "Change my display name to New name.";

const LIES: { what: string; path: string; prompt: string; lines: Line[] }[] = [
  {
    what: "a value that it made up",
    path: "/kettle",
    prompt: "What is the price of the kettle?",
    lines: [() => done("It costs €17.50.", fact("price", "€17.50"))],
  },
  {
    what: "half a number",
    path: "/kettle",
    prompt: "What is the price of the kettle?",
    lines: [() => done("It costs €19.", fact("price", "€19"))],
  },
  {
    what: "another unit than it read",
    path: "/kettle",
    prompt: "How much does the kettle weigh?",
    lines: [() => done("It weighs 500 kg.", fact("weight", "500 g"))],
  },
  {
    what: "another currency than it read",
    path: "/kettle",
    prompt: "What is the price of the kettle?",
    lines: [() => done("It costs $19.99.", fact("price", "€19.99"))],
  },
  {
    what: "a balance that has changed since",
    path: "/moving",
    prompt: "What is my balance?",
    lines: [() => done("It is €40.00.", fact("balance", "Balance: €40.00"))],
  },
  {
    what: "that a name was saved which the site forgot",
    path: "/forgetful",
    prompt: RENAME,
    lines: [rename, save, () => done("The name was changed.", proof("Saved!"))],
  },
  {
    what: "that a name was saved which the server refused",
    path: "/refusing",
    prompt: RENAME,
    lines: [rename, save, () => done("The name was changed.", proof("Saved!"))],
  },
  {
    what: "that a name was saved which it only typed",
    path: "/honest",
    prompt: RENAME,
    lines: [rename, () => done("The name was changed.", { proofs: [{ field: "Display name", value: "New name" }] })],
  },
  {
    what: "that a note is deleted after it said no",
    path: "/notes",
    prompt: "Delete the note Old draft.",
    lines: [
      (turn) => turn.click('button "Delete Old draft"'),
      () => ({ name: "dialog", input: { accept: false } }),
      () => done("The note is deleted.", proof("Shopping")),
    ],
  },
  {
    what: "one order after it placed two",
    path: "/cart",
    prompt: "Place the order.",
    lines: [
      (turn) => turn.click('button "Place order"'),
      (turn) => turn.click('link "Back to the cart"'),
      (turn) => turn.click('button "Place order"'),
      () => done("The order was placed.", proof("Your order was placed.")),
    ],
  },
];

describe("a model that goes on claiming, before a judge that believes it, is not verified with", () => {
  test.each(casesOfTier(LIES, { ci: 5 }))("$what", async ({ path, prompt, lines }) => {
    const { outcome } = await plan(path, prompt, ...lines);
    const failure = expect.stringMatching(/^(?:unverified|goal_unreachable|step_limit)$/);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure });
  });
});

describe("a model that tells the truth is verified", () => {
  test("with what it read", async () => {
    const answer: Line = () => done("It costs €19.99.", fact("price", "€19.99"));
    const { outcome } = await plan("/kettle", "What is the price of the kettle?", answer);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("with what it changed", async () => {
    const claim: Line = () => done("The name was changed.", proof("Saved!"));
    const { outcome } = await plan("/honest", RENAME, rename, save, claim);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("also when it does so only after it was told what is wrong", async () => {
    const wrong: Line = () => done("It weighs 500 kg.", fact("weight", "500 g"));
    const right: Line = () => done("It weighs 500 g.", fact("weight", "500 g"));
    const { outcome } = await plan("/kettle", "How much does the kettle weigh?", wrong, right);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({
      kind: "verified",
      result: { final_text: "It weighs 500 g." },
    });
    expect(model.lastRequest.text).toContain('"500 g", but the answer says "500 kg"');
  });
});
