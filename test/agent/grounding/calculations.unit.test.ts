import { describe, expect, test } from "vitest";
import { dropConverted, withNeighbours } from "../../../src/agent/grounding/calculations.ts";
import { findUnstatedNumber } from "../../../src/agent/grounding/stated-numbers.ts";
import { checkAnswer } from "../../../src/agent/verifier/check-answer.ts";
import { caseOf } from "../../_harness/doubtful-case.ts";
import { field, node } from "../../_harness/observed.ts";

/** The first number that nothing accounts for; null when all are grounded. */
const findUngrounded = (answer: string, facts: readonly string[]) =>
  findUnstatedNumber(dropConverted(answer, facts), facts, facts, []);

describe("a quantity in the task", () => {
  const FACTS = ["Berth, per night: €19.00", "Guest card: €5.00"];
  const find = (answer: string, task: string) => findUnstatedNumber(answer, [task, ...FACTS], FACTS, [], task);

  test.each([
    ["3 nights cost €57.", "What do three nights cost?"],
    ["Three nights and the card cost €62.", "What do three nights with a guest card cost?"],
    ["That is €38.", "What do 2 nights cost?"],
  ])("%j answers %j", (answer, task) => {
    expect(find(answer, task)).toBeNull();
  });

  test.each([
    ["That is €76.", "What do three nights cost?"],
    ["3 nights cost €58.", "What do three nights cost?"],
    ["That is €57.", "What does a night cost?"],
    ["That is €57.", "What does a night cost from 3/2026?"],
  ])("%j does not answer %j", (answer, task) => {
    expect(find(answer, task)).not.toBeNull();
  });
});

const TRUE: [answer: string, ...facts: string[]][] = [
  ["The session lasts 30 minutes.", "1,800 s"],
  ["It is a 30-minute session.", "1800 seconds"],
  ["It takes 1 h 30 min.", "90 min"],
  ["It takes 1 hour and 30 minutes.", "5400 s"],
  ["It takes 1h 30m.", "5400 s"],
  ["It takes 90 minutes.", "1 h 30 min"],
  ["It takes 90 minutes.", "1:30:00"],
  ["It takes 1.5 hours.", "90 min"],
  ["That is 2 days.", "48 hours"],
  ["That is 500 ms.", "0.5 s"],
  ["That is 2 years.", "24 months"],
  ["It is 2.5 km long.", "2,500 m"],
  ["It is 180 cm tall.", "1.80 m"],
  ["It weighs 1.2 kg.", "1200 g"],
  ["It weighs 0.75 kg.", "750 grams"],
  ["The file has 1.5 GB.", "1500 MB"],
  ["The file has 2 GB.", "2048 MB"],
  ["The file has 2 GiB.", "2048 MiB"],
  ["The file has 1.5 MB.", "1500000 bytes"],
  ["It is 25 %.", "0.25"],
  ["It is 0.25.", "25 %"],
  ["75 % are done.", "3 of 4"],
  ["75 % are done.", "3/4"],
  ["75 % passed.", "45 passed", "60 tests"],
  ["It is €19.99.", "1999 cents"],
  ["Timeout: 30 min.", "Timeout (seconds): 1800"],
  ["It lasts about 31 minutes.", "1,850 s"],
  ["It lasts 30.8 minutes.", "1,850 s"],
  ["The average is 20.", "10", "20", "30"],
];

const WRONG: [answer: string, ...facts: string[]][] = [
  ["The session lasts 20 minutes.", "1,800 s"],
  ["The session lasts 30 hours.", "1,800 s"],
  ["The session lasts 3 minutes.", "1,800 s"],
  ["It lasts 31 minutes.", "1,850 s"],
  ["It lasts about 35 minutes.", "1,850 s"],
  ["It takes 1 h 20 min.", "90 min"],
  ["It takes 2 hours.", "90 min"],
  ["It takes 1800 s.", "1 h 30 min"],
  ["It is 25 km long.", "2,500 m"],
  ["It weighs 12 kg.", "1200 g"],
  ["It weighs 1.2 m.", "1200 g"],
  ["The file has 2.4 GB.", "2048 MB"],
  ["The file has 2 GiB.", "2000 MiB"],
  ["It is 2.5 %.", "0.25"],
  ["It is 0.025.", "25 %"],
  ["80 % are done.", "3 of 4"],
  ["It is €1.99.", "1999 cents"],
  ["It is £30.", "€35"],
  ["That is 3 months.", "90 days"],
  ["The average is 25.", "10", "20", "30"],
];

describe("a calculated number", () => {
  test.each(TRUE)("%s is grounded by %j", (answer, ...facts) => {
    expect(findUngrounded(answer, facts)).toBeNull();
    expect(checkAnswer(caseOf({ prompt: "Tell me.", answer, quotes: facts }))).toEqual([]);
  });

  test.each(WRONG)("%s is not grounded by %j", (answer, ...facts) => {
    expect(findUngrounded(answer, facts)).not.toBeNull();
    expect(checkAnswer(caseOf({ prompt: "Tell me.", answer, quotes: facts }))).toMatchObject([
      { verdict: "contradicted" },
    ]);
  });
});

describe("a number without a unit", () => {
  const lifespan = node("textbox", "Lifespan (seconds)", { value: "1800", field: field("text") });
  const beside = node("group", "", {
    children: [node("textbox", "Lifespan", { value: "1800", field: field("text") }), node("text", "seconds")],
  });
  const cells = (role: string, ...texts: string[]) =>
    node("row", texts.join(" "), { children: texts.map((text) => node(role, text)) });
  const table = node("table", "Sessions", {
    children: [cells("columnheader", "Name", "Lifespan (s)"), cells("cell", "Web", "1800")],
  });

  test.each([
    ["the label of its field", lifespan],
    ["the text behind it", beside],
    ["the header of its column", table],
  ])("takes its unit from %s", (_, at) => {
    const root = node("document", "", { children: [at] });
    expect(dropConverted("30 minutes", withNeighbours("1800", root))).not.toContain("30");
    expect(dropConverted("40 minutes", withNeighbours("1800", root))).toContain("40");
    expect(dropConverted("30 km", withNeighbours("1800", root))).toContain("30");
    const states = [[at]];
    const check = (answer: string) => checkAnswer(caseOf({ prompt: "How long?", answer, quotes: ["1800"], states }));
    expect(check("It lasts 30 minutes.")).toEqual([]);
    expect(check("It lasts 40 minutes.")).toMatchObject([{ verdict: "contradicted" }]);
  });

  test("takes none from a text that names none", () => {
    const root = node("document", "", { children: [node("text", "Orders"), node("text", "1800")] });
    expect(dropConverted("30 minutes", withNeighbours("1800", root))).toContain("30");
  });
});
