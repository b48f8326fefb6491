import { describe, expect, test } from "vitest";
import { type DoubtfulCase, useDoubtfulRuns } from "../../_harness/doubtful-runs.ts";
import { casesOfTier } from "../../_harness/tier.ts";

const run = useDoubtfulRuns();

const RENAME = "Change my display name to New name.";
const DELETE = "Delete the note Old draft.";
const rename = (path: string, shown = path): DoubtfulCase => ({
  prompt: RENAME,
  path,
  deeds: [{ fill: "Display name", text: "New name" }, { click: "Save" }],
  answer: "The display name is now New name.",
  texts: [{ path: shown, text: "Saved!" }],
});

interface Wrong extends DoubtfulCase {
  what: string;
  caughtBy: RegExp;
}

const WRONG: Wrong[] = [
  {
    what: "the server returned 500 with a page that says it is saved",
    ...rename("/failing"),
    caughtBy: /POST .*\/failing returned 500/,
  },
  {
    what: "the page said it was saved before the server refused with 422",
    ...rename("/refusing"),
    caughtBy: /POST .*\/refusing returned 422/,
  },
  {
    what: "the connection broke before a response came",
    ...rename("/reset"),
    texts: [{ path: "/reset", text: "Settings" }],
    caughtBy: /POST .*\/reset got no response/,
  },
  {
    what: "the site said it was saved and kept nothing",
    ...rename("/forgetful"),
    caughtBy: /Entered "New name"; in a fresh browser it holds "Old name"/,
  },
  {
    what: "it was saved under another name",
    ...rename("/truncating"),
    caughtBy: /Entered "New name"; in a fresh browser it holds "New ?"/,
  },
  {
    what: "a notice said it was saved and nothing was sent",
    ...rename("/silent"),
    caughtBy: /in a fresh browser it holds "Old name"/,
  },
  {
    what: "the site returned 200 and said in words that it failed",
    ...rename("/worded"),
    texts: [{ path: "/worded", text: "Settings" }],
    caughtBy: /After the change the page says: "Your change could not be saved/,
  },
  {
    what: "the form was filled in and never sent",
    ...rename("/honest"),
    deeds: [{ fill: "Display name", text: "New name" }],
    texts: [{ path: "/honest", text: "Settings" }],
    caughtBy: /in a fresh browser it holds "Old name"/,
  },
  {
    what: "the site lowered the quantity",
    prompt: "Set the quantity to 5.",
    path: "/quantity",
    deeds: [{ fill: "Quantity", text: "5" }, { click: "Save" }],
    texts: [{ path: "/quantity", text: "Saved!" }],
    caughtBy: /Entered "5"; in a fresh browser it holds "3"/,
  },
  {
    what: "a switch went back by itself",
    prompt: "Turn on the alerts.",
    path: "/switch",
    deeds: [{ check: "Send alerts", to: true }, { click: "Save" }],
    texts: [{ path: "/switch", text: "Saved!" }],
    caughtBy: /Entered "checked"; in a fresh browser it holds "unchecked"/,
  },
  {
    what: "the item was sold out and not added",
    prompt: "Add the vase to the cart.",
    path: "/sold-out",
    deeds: [{ click: "Add to cart" }],
    texts: [{ path: "/sold-out", text: "Vase" }],
    caughtBy: /the page says: "This item is sold out/,
  },
  {
    what: "the question was answered with no",
    prompt: DELETE,
    path: "/notes",
    deeds: [{ click: "Delete Old draft" }, { dialog: false }],
    texts: [{ path: "/notes", text: "Shopping" }],
    caughtBy: /Nothing was sent, and a fresh browser shows the page as it was before/,
  },
  {
    what: "the page only took it off the screen",
    prompt: DELETE,
    path: "/painted-notes",
    deeds: [{ click: "Delete Old draft" }],
    texts: [{ path: "/painted-notes", text: "Shopping" }],
    caughtBy: /Nothing was sent, and a fresh browser shows the page as it was before/,
  },
  {
    what: "the page still asks whether to go on",
    prompt: DELETE,
    path: "/asking-notes",
    deeds: [{ click: "Delete Old draft" }],
    texts: [{ path: "/asking-notes", text: "Shopping" }],
    caughtBy: /The page asks: ".*Are you sure/,
  },
  {
    what: "the order was placed twice",
    prompt: "Place the order.",
    path: "/cart",
    deeds: [{ click: "Place order" }, { click: "Back to the cart" }, { click: "Place order" }],
    texts: [{ path: "/orders", text: "Your order was placed." }],
    caughtBy: /POST .*\/orders was sent and accepted more than once/,
  },
  {
    what: "something was bought on the way to an answer",
    prompt: "What is the total of the cart?",
    path: "/cart",
    deeds: [{ click: "Add a gift card" }],
    answer: "It is €12.00.",
    facts: [{ label: "total", value: "€12.00", quote: "Total: €12.00", path: "/cart" }],
    caughtBy: /only asks a question; click "Add a gift card" sent POST/,
  },
  {
    what: "the file is empty",
    prompt: "Download the empty statement.",
    path: "/files",
    deeds: [{ click: "Empty statement" }],
    texts: [{ path: "/files", text: "Statements" }],
    caughtBy: /"statement.csv": it is empty/,
  },
  {
    what: "no file ever came",
    prompt: "Download the June statement.",
    path: "/files",
    deeds: [{ click: "June statement" }],
    texts: [{ path: "/files", text: "June statement" }],
    caughtBy: /Nothing was downloaded/,
  },
  {
    what: "the page itself sent a form",
    prompt: "Tell me the price.",
    path: "/self-sending",
    answer: "€5.00",
    facts: [{ label: "price", value: "€5.00", quote: "Price: €5.00", path: "/self-sending" }],
    caughtBy: /POST .*\/self-sending was sent by the page itself/,
  },
];

describe("code alone refuses a change when", () => {
  test.each(casesOfTier(WRONG, { ci: 8 }))("$what", async ({ caughtBy, what: _, ...wrong }) => {
    const { outcome, against, wasJudged } = await run(wrong);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(against).toMatch(caughtBy);
    expect(wasJudged).toBe(false);
  });
});

const RIGHT: (DoubtfulCase & { what: string })[] = [
  { what: "a name that was kept", ...rename("/honest") },
  {
    what: "a quantity that the site allows",
    prompt: "Set the quantity to 2.",
    path: "/quantity",
    deeds: [{ fill: "Quantity", text: "2" }, { click: "Save" }],
    texts: [{ path: "/quantity", text: "Saved!" }],
  },
  {
    what: "a switch that stays on",
    prompt: "Turn on the alerts.",
    path: "/kept-switch",
    deeds: [{ check: "Send alerts", to: true }, { click: "Save" }],
    texts: [{ path: "/kept-switch", text: "Saved!" }],
  },
  {
    what: "a note that is gone",
    prompt: DELETE,
    path: "/notes",
    deeds: [{ click: "Delete Old draft" }, { dialog: true }],
    texts: [{ path: "/notes", text: "Shopping" }],
  },
  {
    what: "one order",
    prompt: "Place the order.",
    path: "/cart",
    deeds: [{ click: "Place order" }],
    texts: [{ path: "/orders", text: "Your order was placed." }],
  },
  {
    what: "a file with something in it",
    prompt: "Download the March statement.",
    path: "/files",
    deeds: [{ click: "March statement" }],
    texts: [{ path: "/files", text: "March statement" }],
  },
];

describe("the same pages are verified with", () => {
  test.each(casesOfTier(RIGHT, { ci: 4 }))("$what", async ({ what: _, ...right }) => {
    const { outcome, against, wasJudged } = await run(right);
    expect(against).toBe("");
    expect(outcome.kind).toBe("verified");
    expect(wasJudged).toBe(true);
  });
});
