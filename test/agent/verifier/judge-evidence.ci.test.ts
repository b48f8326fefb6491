import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../../src/lib/estimate-tokens.ts";
import { type DoubtfulCase, useDoubtfulRuns } from "../../_harness/doubtful-runs.ts";
import { agreeingWithEverything, type ShownTrial } from "../../_harness/scripted-judge.ts";

const run = useDoubtfulRuns();

/** Runs the story with a judge that agrees, and returns what the judge was shown. */
async function show(story: DoubtfulCase) {
  const shown: ShownTrial[] = [];
  const { outcome, against } = await run({
    ...story,
    judge(trial) {
      shown.push(trial);
      return agreeingWithEverything(trial);
    },
  });
  const [trial] = shown;
  if (trial === undefined) throw new Error(`the judge was not asked: ${against}`);
  const { request, evidence } = trial;
  return { outcome, text: request.text, evidence: [...evidence.values()], sent: JSON.stringify(request.body), trial };
}

function lineOf(text: string, start: string): string {
  return text.split("\n").find((line) => line.startsWith(start)) ?? "";
}

describe("what the judge is shown", () => {
  test("stays small on a long page, and has the rows that support the claim", async () => {
    const quote = "Article number 400";
    const { text, evidence } = await show({
      prompt: "How many pieces of article number 400 are there?",
      path: "/big",
      answer: "There are 2800 pieces.",
      facts: [
        { label: "article", value: quote, quote, path: "/big" },
        { label: "pieces", value: "2800", quote: "2800", path: "/big" },
      ],
    });
    expect(estimateTokens(text)).toBeLessThan(10_000);
    expect(evidence[0]).toContain("Article number 400 | 2800");
    expect(evidence[0]).toMatch(/… \d+ lines left out …/);
  });

  test("comes from a fresh browser and the browser's records, without the planner's reasoning", async () => {
    const { text, evidence } = await show({
      prompt: "Change my display name to New name.",
      path: "/honest",
      deeds: [{ fill: "Display name", text: "New name" }, { click: "Save" }],
      texts: [{ path: "/honest", text: "Saved!" }],
    });
    expect(evidence[0]).toContain('Display name = "New name"');
    expect(text).toMatch(/^e2\. The last page of the run, in its own tab.*; only the lines that e1 does not have:$/m);
    const [fresh = "", own = ""] = evidence;
    expect(own).toContain("Saved!");
    const shared = fresh.split("\n").filter((line) => !/^(?:URL|title): /.test(line));
    expect(own.split("\n").filter((line) => shared.includes(line))).toEqual([]);
    expect(evidence).toContainEqual(expect.stringMatching(/^step 3: POST http.*\/honest returned 200$/));
    const change = lineOf(text, "w1. ");
    expect(change).toMatch(
      /POST .*\/honest: a form, returned 200; step 3, click "Save", on .*entered there: Display name = "New name"/,
    );
    expect(change).not.toContain("[technical]");
    expect(text).not.toContain("The story says so.");
  });

  const showTheCode = (path: string) =>
    show({
      prompt: "Show the code, tell me what it is and hide it.",
      path,
      deeds: [{ click: "Show the code" }, { click: "Hide it" }],
      answer: "It is QX-4471.",
      facts: [{ label: "code", value: "QX-4471", quote: "Your code is QX-4471", path }],
    });

  test("includes what a click shows, clicked again in a fresh browser", async () => {
    const { evidence, text } = await showTheCode("/toast");
    expect(text).toContain('A page as a fresh browser shows it after the run, with "Show the code" clicked');
    expect(evidence[0]).toContain("Your code is QX-4471");
  });

  test("includes pages that were only seen earlier", async () => {
    const { evidence, text } = await showTheCode("/toast-once");
    expect(text).toContain("A page as the run saw it earlier; a fresh browser shows another state of it");
    expect(evidence.at(-1)).toContain("Your code is QX-4471");
  });

  test("includes files and dialogs", async () => {
    const download = await show({
      prompt: "Download the March statement.",
      path: "/files",
      deeds: [{ click: "March statement" }],
      texts: [{ path: "/files", text: "March statement" }],
    });
    expect(download.evidence).toContain("statement.csv: 26 bytes, kept");
    const question = await show({
      prompt: "Delete the note Old draft.",
      path: "/notes",
      deeds: [{ click: "Delete Old draft" }, { dialog: true }],
      texts: [{ path: "/notes", text: "Shopping" }],
    });
    expect(question.evidence).toContain('confirm "Delete it for good?": accepted');
  });

  test("has no password, not even one that was typed", async () => {
    const { sent, text } = await show({
      prompt: "Sign in as Jo.",
      path: "/sign-in",
      deeds: [{ fill: "Name", text: "Jo" }, { fill: "Password", text: "correct-horse-7" }, { click: "Sign in" }],
      texts: [{ path: "/sign-in", text: "Welcome, Jo" }],
    });
    expect(lineOf(text, "w1. ")).toContain('entered there: Name = "Jo"');
    expect(sent).not.toContain("correct-horse");
  });
});

describe("requests that a page sends while it is opened", () => {
  const news: DoubtfulCase = {
    prompt: "What is the price of the news?",
    path: "/counting",
    answer: "€3.00",
    facts: [{ label: "price", value: "€3.00", quote: "Price: €3.00", path: "/counting" }],
  };

  test("are listed as side effects of the page itself, and the judge is not asked about them", async () => {
    const { trial } = await show(news);
    expect(trial.changes).toEqual([]);
    const { outcome } = await run(news);
    if (outcome.kind !== "verified") throw new Error(outcome.reason);
    expect(outcome.result.evidence.side_effects).toMatchObject([{ method: "POST" }, { method: "POST" }]);
  });
});
