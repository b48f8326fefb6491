import { expect, test } from "vitest";
import { checkAnswer } from "../../../src/agent/verifier/check-answer.ts";
import { checkCounted } from "../../../src/agent/verifier/check-counted.ts";
import { checkCoverage } from "../../../src/agent/verifier/check-coverage.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { caseOf } from "../../_harness/doubtful-case.ts";
import { node } from "../../_harness/observed.ts";

const row = (cells: readonly string[], role: string) =>
  node("row", cells.join(" "), { children: cells.map((text) => node(role, text)) });

function table(name: string, columns: readonly string[], rows: readonly (readonly string[])[]): ObservedNode {
  return node("table", name, {
    children: [row(columns, "columnheader"), ...rows.map((cells) => row(cells, "cell"))],
  });
}

const BERTHS = table(
  "Berths",
  ["Berth", "Pier", "Boat"],
  [
    ["B1", "B", "Alma"],
    ["B2", "B", "Brisa"],
    ["X9", "C", "Corvus"],
  ],
);

function doubts(prompt: string, answer: string, quotes: string[], page: ObservedNode[] = [BERTHS]) {
  return checkCounted(caseOf({ prompt, answer, quotes, states: [page], fresh: page })).map(({ verdict }) => verdict);
}

const CONTRADICTED = ["contradicted"];

test("a row of another part is not counted, by its column", () => {
  expect(doubts("How many boats are on pier B?", "There are 3.", ["Alma", "Brisa", "Corvus"])).toEqual(CONTRADICTED);
  expect(doubts("How many boats are on pier B?", "Three boats.", ["Alma", "Brisa", "Corvus"])).toEqual(CONTRADICTED);
  expect(doubts("How many boats are on pier B?", "There are 2.", ["Alma", "Brisa"])).toEqual([]);
});

test("a row of another part is not counted, by the heading of its list", () => {
  const halls = [table("Hall 1", ["Stand"], [["Ferns"], ["Figs"]]), table("Hall 2", ["Stand"], [["Gourds"], ["Hops"]])];
  const count = (quotes: string[]) => doubts("How many stands are in hall 1?", `${quotes.length}`, quotes, halls);
  expect(count(["Ferns", "Figs", "Gourds"])).toEqual(CONTRADICTED);
  expect(count(["Ferns", "Figs"])).toEqual([]);
});

test("a row of another part is not counted, by its code", () => {
  const seats = [node("paragraph", "", { children: [node("text", "Free: D1, D4, E2")] })];
  const count = (quotes: string[]) => doubts("How many seats are free in row D?", `${quotes.length}`, quotes, seats);
  expect(count(["D1", "D4", "E2"])).toEqual(CONTRADICTED);
  expect(count(["D1", "D4"])).toEqual([]);
  expect(count(["E2", "E4"])).toEqual([]);
});

test("codes are not added up to a count", () => {
  const count = (answer: string) =>
    checkAnswer(caseOf({ prompt: "How many berths are on pier B?", answer, quotes: ["B1", "B3"] })).map(
      ({ verdict }) => verdict,
    );
  expect(count("There are 2 berths.")).toEqual([]);
  expect(count("There are 4 berths.")).toEqual(CONTRADICTED);
});

test("a count of one part is not the count of the whole list", () => {
  const covered = (answer: string, quotes: string[]) => {
    const scene = {
      prompt: "How many berths are there on pier B?",
      answer,
      quotes,
      states: [[BERTHS]],
      fresh: [BERTHS],
    };
    return checkCoverage(caseOf(scene));
  };
  expect(covered("There are 2 berths on pier B.", ["B1", "B2"])).toEqual([]);
});

test("several parts, comparisons and stated numbers are not doubted", () => {
  const all = ["Alma", "Brisa", "Corvus"];
  expect(doubts("How many boats are on piers B and C?", "3", all)).toEqual([]);
  expect(doubts("How many berths are on piers B and C?", "2", ["B1", "C1"])).toEqual([]);
  expect(doubts("How many boats are not on pier A?", "3", all)).toEqual([]);
  expect(doubts("How many boats are there?", "3", all)).toEqual([]);
  expect(doubts("How many boats did I see on pier B?", "Alma is the first.", all)).toEqual([]);
  expect(doubts("How many boats are on pier B?", "Pier B has 2.", ["2 boats on Pier B", "Corvus"])).toEqual([]);
});
