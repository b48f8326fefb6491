import { describe, expect, test } from "vitest";
import type { RecordSet, Row } from "../../../src/agent/extraction/record-set.ts";
import type { Turn } from "../../../src/agent/planner/planner.ts";
import { isStep } from "../../../src/agent/steps/check-steps.ts";
import { collect } from "../../../src/agent/steps/collect.ts";
import { chooseList } from "../../../src/agent/steps/lists.ts";
import { type Request, StepsRun, Stop } from "../../../src/agent/steps/run.ts";
import type { CollectStep, Comparison } from "../../../src/agent/steps/step.ts";
import { filterRows, orderRows } from "../../../src/agent/steps/where.ts";
import type { Observation, ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node, observation, report } from "../../_harness/observed.ts";
import { createRandom, type Random } from "../../_harness/random.ts";

const SEED = 16;
const ROUNDS = 150;
const HOST = "https://shop.example";

/** What a cell means, beside what it says. Null: it says nothing, or nothing that can be compared. */
type Meaning =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly value: number; readonly currency: string | null }
  | { readonly kind: "weight"; readonly value: number; readonly unit: string }
  | { readonly kind: "day"; readonly day: string }
  | { readonly kind: "flag"; readonly isSo: boolean }
  | null;

interface Cell {
  readonly said: string;
  readonly meaning: Meaning;
}

type Kind = "word" | "price" | "number" | "weight" | "date" | "flag";

interface Column {
  readonly name: string;
  readonly kind: Kind;
}

interface Table {
  readonly columns: readonly Column[];
  /** The first cell of each row is its name, which no other row has. */
  readonly rows: readonly (readonly Cell[])[];
  /** Whether some dates or numbers can be read in two ways: "03/04/2026", "1.299". */
  readonly isUnclear: boolean;
}

/** What the cells of one table have in common. */
interface Style {
  readonly currencies: readonly string[];
  readonly units: readonly string[];
  readonly isUnclear: boolean;
}

const WORDS = ["Open", "Closed", "Being packed", "On hold", "Oak", "Birch wood"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August"];
const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  word: ["State", "Wood", "Owner"],
  price: ["Price", "Cost of repair"],
  number: ["Pieces", "Visits"],
  weight: ["Weight"],
  date: ["Ordered on", "Arrival"],
  flag: ["Paid", "Gift"],
};

function makeTable(random: Random): Table {
  const { int, pick, chance, shuffle } = random;
  const kinds = shuffle(["word", "price", "number", "weight", "date", "flag"] as const).slice(0, int(1, 5));
  const columns = kinds.map((kind) => ({ name: pick(NAMES[kind]), kind }));
  const style: Style = {
    currencies: chance(0.15) ? ["EUR", "GBP"] : [pick(["EUR", "GBP"])],
    units: chance(0.2) ? ["kg", "g"] : [pick(["kg", "g"])],
    isUnclear: chance(0.2),
  };
  const gaps = chance(0.25) ? 0.15 : 0;
  const rows = Array.from({ length: int(1, 14) }, (_, index) => [
    { said: `Tree ${String.fromCharCode(65 + index)}`, meaning: null },
    ...columns.map(({ kind }) => (chance(gaps) ? makeGap(random) : makeCell(kind, style, random))),
  ]);
  return { columns: [{ name: "Tree", kind: "word" }, ...columns], rows, isUnclear: style.isUnclear };
}

function makeGap({ pick }: Random): Cell {
  return { said: pick(["", "", "on request", "n/a"]), meaning: null };
}

function makeCell(kind: Kind, style: Style, random: Random): Cell {
  const { int, pick, chance } = random;
  switch (kind) {
    case "word": {
      const word = pick(WORDS);
      return { said: word, meaning: { kind: "text", text: word } };
    }
    case "flag": {
      const isSo = chance(0.5);
      return { said: isSo ? pick(["Yes", "yes", "✓"]) : pick(["No", "no", "✗"]), meaning: { kind: "flag", isSo } };
    }
    case "date":
      return makeDate(style, random);
    case "weight": {
      const [value, unit] = [int(1, 60), pick(style.units)];
      return { said: `${value} ${unit}`, meaning: { kind: "weight", value, unit } };
    }
    case "number": {
      const value = style.isUnclear && chance(0.3) ? int(1_000, 9_999) : int(1, 60);
      const said =
        style.isUnclear && value > 999
          ? `${Math.floor(value / 1_000)}.${String(value % 1_000).padStart(3, "0")}`
          : String(value);
      return { said, meaning: { kind: "number", value, currency: null } };
    }
    case "price": {
      const value = int(1, 60) + (chance(0.5) ? 0 : int(1, 99) / 100);
      const currency = pick(style.currencies);
      return {
        said: `${currency === "EUR" ? "€" : "£"}${value.toFixed(2)}`,
        meaning: { kind: "number", value, currency },
      };
    }
  }
}

function makeDate({ isUnclear }: Style, { int, pick }: Random): Cell {
  const [month, day] = [int(1, 8), int(1, 28)];
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  const iso = `2026-${twoDigits(month)}-${twoDigits(day)}`;
  const plain = pick([iso, `${day} ${MONTHS[month - 1]} 2026`]);
  const said = isUnclear ? `${twoDigits(day)}/${twoDigits(month)}/2026` : plain;
  return { said, meaning: { kind: "day", day: iso } };
}

function makeComparison({ columns, rows }: Table, random: Random): Comparison {
  const { int, pick, chance } = random;
  const at = int(1, columns.length - 1);
  const { name, kind } = columns[at] as Column;
  const column = chance(0.2) ? name.toUpperCase() : name;
  if (kind === "flag") return { column, [pick(["is", "is_not"])]: chance(0.5) };
  if (kind === "date") {
    const day = `2026-0${int(1, 8)}-15`;
    return { column, [pick(["before", "after", "from", "to", "is", "is_not", "at_least"])]: day };
  }
  if (kind === "word") {
    const value = chance(0.9) ? pick(rows)[at]?.said || "Open" : "Lost";
    return { column, [pick(["is", "is_not", "contains", "does_not_contain", "starts_with", "ends_with"])]: value };
  }
  const number = int(1, 60);
  const written = kind === "price" ? `${pick(["€", "£"])}${number}` : `${number} ${pick(["kg", "g"])}`;
  const value = kind !== "number" && chance(0.5) ? written : number;
  const test = pick(["less_than", "at_most", "more_than", "at_least"]);
  return chance(0.2) ? { column, at_least: number, less_than: number + 20 } : { column, [test]: value };
}

/** Null: nobody can say. */
function judge(cell: Cell, comparison: Comparison): boolean | null {
  const { column: _, ...tests } = comparison;
  const verdicts = Object.entries(tests).map(([test, value]) => judgeOne(cell, test, value as string));
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function judgeOne({ said, meaning }: Cell, test: string, value: string | number | boolean): boolean | null {
  if (/contain|with$/.test(test)) return judgeText(said.toLowerCase(), test, String(value).toLowerCase());
  if (typeof value === "boolean") return meaning?.kind === "flag" ? (meaning.isSo === value) === (test === "is") : null;
  if (meaning?.kind === "day") return compareOrdered(meaning.day, String(value), test);
  if (meaning?.kind === "number" || meaning?.kind === "weight") return judgeNumber(meaning, test, value);
  if (test !== "is" && test !== "is_not") return null;
  if (/^\d{4}-/.test(String(value)) || (said === "" && test === "is_not")) return null;
  return (said.toLowerCase() === String(value).toLowerCase()) === (test === "is");
}

function judgeText(text: string, test: string, part: string): boolean {
  if (test === "starts_with") return text.startsWith(part);
  if (test === "ends_with") return text.endsWith(part);
  return text.includes(part) === (test === "contains");
}

function judgeNumber(
  meaning: NonNullable<Meaning> & { kind: "number" | "weight" },
  test: string,
  value: string | number,
): boolean | null {
  const [, sign = "", number = "", unit = ""] = /^([€£]?)(\d+) ?(k?g?)$/.exec(String(value)) ?? [];
  const own = meaning.kind === "weight" ? meaning.unit : meaning.currency === "EUR" ? "€" : "£";
  if (sign + unit !== "" && sign + unit !== own) return null;
  return compareOrdered(meaning.value, Number(number), test);
}

function compareOrdered<Value>(one: Value, other: Value, test: string): boolean {
  if (test === "is" || test === "is_not") return (one === other) === (test === "is");
  if (/^(?:before|less_than)$/.test(test)) return one < other;
  if (/^(?:after|more_than)$/.test(test)) return one > other;
  return /^(?:to|at_most)$/.test(test) ? one <= other : one >= other;
}

const columnIndex = ({ columns }: Table, name = "") =>
  columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase());

/** The names of the rows that are meant; null when nobody can say. */
function refer(table: Table, { where = [], order, limit, nth }: CollectStep): string[] | null {
  let rows = table.rows;
  for (const comparison of where) {
    const at = columnIndex(table, comparison.column);
    const verdicts = rows.map((row) => judge(row[at] as Cell, comparison));
    if (verdicts.includes(null) || isMixed(table, at, comparison)) return null;
    rows = rows.filter((_, index) => verdicts[index] === true);
  }
  const ordered = order === undefined ? rows : orderBy(table, rows, order, limit);
  if (ordered === null) return null;
  const names = ordered.map(([name]) => name?.said ?? "");
  if (nth !== undefined) {
    const name = names.at(nth > 0 ? nth - 1 : nth);
    return name === undefined ? null : [name];
  }
  return limit === undefined ? names : names.slice(0, limit);
}

function isMixed({ rows }: Table, at: number, { column: _, ...tests }: Comparison): boolean {
  const isBare = Object.values(tests).some((value) => typeof value === "number");
  return isBare && countKinds(rows.map((row) => row[at]?.meaning ?? null)) > 1;
}

/** How many currencies or units there are. */
function countKinds(meanings: readonly Meaning[]): number {
  const kinds = meanings.flatMap((meaning) =>
    meaning?.kind === "number" ? [meaning.currency] : meaning?.kind === "weight" ? [meaning.unit] : [],
  );
  return new Set(kinds).size;
}

function orderBy(
  table: Table,
  rows: Table["rows"],
  { by, direction }: NonNullable<CollectStep["order"]>,
  limit: number | undefined,
): Table["rows"] | null {
  const at = columnIndex(table, by);
  const meanings = rows.map((row) => row[at]?.meaning ?? null);
  const keys = meanings.map(keyOf);
  if (keys.includes(null) || countKinds(meanings) > 1) return null;
  const sign = direction === "ascending" ? 1 : -1;
  const sorted = rows
    .map((row, index) => ({ row, key: keys[index] ?? 0 }))
    .toSorted((one, other) => sign * (one.key - other.key));
  if (limit === 1 && sorted.length > 1 && sorted[0]?.key === sorted[1]?.key) return null;
  return sorted.map(({ row }) => row);
}

function keyOf(meaning: Meaning): number | null {
  if (meaning?.kind === "day") return Date.parse(meaning.day);
  return meaning?.kind === "number" || meaning?.kind === "weight" ? meaning.value : null;
}

function makeStep(table: Table, random: Random): CollectStep {
  const { int, pick, chance } = random;
  const where = Array.from({ length: pick([0, 1, 1, 2]) }, () => makeComparison(table, random));
  const sortable = table.columns.filter(({ kind }) => kind !== "word" && kind !== "flag");
  const order =
    sortable.length > 0 && chance(0.4)
      ? { by: pick(sortable).name, direction: pick(["ascending", "descending"] as const) }
      : undefined;
  const cut = chance(0.2) ? { nth: pick([1, 2, -1]) } : chance(0.3) ? { limit: int(1, 4) } : {};
  return {
    list: "trees",
    ...(where.length === 0 ? {} : { where }),
    ...(order === undefined ? {} : { order }),
    ...cut,
  };
}

// Pages

const text = (words: string) => node("text", words);

function toTableNode({ columns, rows }: Table, hasTotal: boolean): ObservedNode {
  const toRow = (cells: readonly string[], role: string) =>
    node("row", "", { children: cells.map((cell) => node(role, "", { children: cell === "" ? [] : [text(cell)] })) });
  const total = ["Total", ...columns.slice(1).map(({ kind }) => (kind === "price" ? "€999.00" : ""))];
  return node("table", "Trees", {
    children: [
      toRow(
        columns.map(({ name }) => name),
        "columnheader",
      ),
      ...rows.map((row) =>
        toRow(
          row.map(({ said }) => said),
          "cell",
        ),
      ),
      ...(hasTotal ? [toRow(total, "cell")] : []),
    ],
  });
}

interface Site {
  readonly pages: readonly Observation[];
  /** Whether the last page is missing although the pages say that there are more. */
  readonly isCut: boolean;
}

function makeSite(table: Table, random: Random): Site {
  const { int, chance } = random;
  const size = chance(0.5) ? table.rows.length : int(1, Math.max(1, table.rows.length - 1));
  const parts: Table["rows"][] = [];
  for (let at = 0; at < table.rows.length; at += size) parts.push(table.rows.slice(at, at + size));
  const hasTotal = parts.length === 1 && chance(0.3) && table.columns.some(({ kind }) => kind === "price");
  const saysCount = chance(0.4);
  const isCut = saysCount && parts.length > 1 && chance(0.3);
  const urlOf = (page: number) => `${HOST}/trees?page=${page + 1}`;
  const pages = parts.map((rows, page) => {
    const isLast = page === parts.length - 1 || (isCut && page === parts.length - 2);
    const next = node("link", "Next page", { ref: `n${page}`, url: urlOf(page + 1) });
    const main = [
      node("heading", "Trees", { states: { level: 1 }, children: [text("Trees")] }),
      ...(saysCount ? [node("paragraph", "", { children: [text(`${table.rows.length} trees`)] })] : []),
      toTableNode({ ...table, rows }, hasTotal),
      ...(isLast ? [] : [node("navigation", "Pages", { children: [next] })]),
    ];
    return observation(urlOf(page), [node("main", "", { children: main })], { title: "Trees", number: page + 1 });
  });
  return { pages, isCut };
}

/** Answers the requests of a run as a browser with these pages does. */
function browse(step: CollectStep, { pages }: Site): StepsRun | Stop {
  let page = 0;
  const turn = (reports: Turn["reports"] = []): Turn => ({
    observation: pages[page] as Observation,
    reports,
    stepsLeft: 100,
    spent: 0,
    takeScreenshot: async () => null,
    signal: new AbortController().signal,
  });
  const run = new StepsRun(turn());
  const running = collect(step, run);
  try {
    let request = running.next(turn());
    while (request.done !== true) request = running.next(respond(request.value));
    return run;
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }

  function respond(request: Request): Turn {
    if (request.kind === "pause" || request.kind === "work") return turn();
    if (request.kind !== "act") throw new Error(`Unexpected ${request.kind}`);
    const [call] = request.calls;
    if (call?.action === "click" && String(call.input["ref"]) === `n${page}`) page += 1;
    else if (call?.action !== "look") throw new Error(`Unexpected ${JSON.stringify(call)}`);
    return turn([report(call.action, {})]);
  }
}

function forEachRound(rounds: number, check: (random: Random, round: number) => void): void {
  for (let round = 0; round < rounds; round++) {
    try {
      check(createRandom(SEED * 1_000_000 + round), round);
    } catch (error) {
      throw new Error(`Seed ${SEED}, round ${round}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
}

describe("over random tables", () => {
  test("the rows that are chosen are those that a reference chooses, or none", () => {
    let chosen = 0;
    forEachRound(ROUNDS, (random) => {
      const table = makeTable(random);
      const page = observation(`${HOST}/trees`, [node("main", "", { children: [toTableNode(table, false)] })]);
      const choice = chooseList([page], { noun: "trees" });
      if (choice.kind !== "chosen") throw new Error(choice.reason);
      const { set } = choice.merged;
      expect(set.rows.map((row) => nameOf(row, set))).toEqual(table.rows.map(([name]) => name?.said));
      const step = makeStep(table, random);
      const found = choose(set, step);
      const { limit: _limit, nth: _nth, ...uncut } = step;
      const expected = refer(table, uncut);
      if (found !== null) {
        chosen += 1;
        expect(found, JSON.stringify({ step, table })).toEqual(expected);
      }
    });
    expect(chosen).toBeGreaterThan(ROUNDS / 2);
  });

  test("a list over several pages is answered as a reference does, or not at all", () => {
    let [answered, refused] = [0, 0];
    forEachRound(ROUNDS, (random) => {
      const table = makeTable(random);
      const site = makeSite(table, random);
      const step = { ...makeStep(table, random), columns: ["name"] };
      expect(isStep({ collect: step })).toBe(true);
      const run = browse(step, site);
      const expected = refer(table, step);
      const about = JSON.stringify({ step, table, pages: site.pages.length, isCut: site.isCut });
      if (run instanceof Stop) {
        refused += 1;
        expect(run.message).not.toBe("");
        return;
      }
      answered += 1;
      const answers = run.answers.map(({ text: said }) => said);
      expect(answers, about).toEqual(expected?.length === 0 ? ["No trees."] : expected);
    });
    expect(answered).toBeGreaterThan(ROUNDS / 3);
    expect(refused).toBeGreaterThan(0);
  });

  test("a count is the number of rows that a reference counts, or none", () => {
    let answered = 0;
    forEachRound(ROUNDS, (random) => {
      const table = makeTable(random);
      const site = makeSite(table, random);
      const { where } = makeStep(table, random);
      const step: CollectStep = { list: "trees", count: true, ...(where === undefined ? {} : { where }) };
      const run = browse(step, site);
      if (run instanceof Stop) return;
      answered += 1;
      expect(run.answers.at(-1)?.text, JSON.stringify({ step, table })).toBe(String(refer(table, step)?.length));
      expect(run.facts.length).toBeGreaterThan(0);
    });
    expect(answered).toBeGreaterThan(ROUNDS / 3);
  });

  test("what can be known is not refused", () => {
    const reasons: string[] = [];
    forEachRound(ROUNDS, (random) => {
      const table = makeTable(random);
      const site = makeSite(table, random);
      const step = { ...makeStep(table, random), columns: ["name"] };
      const run = browse(step, site);
      const isUnknownWord = (step.where ?? []).some(({ is }) => is !== undefined);
      if (run instanceof Stop && refer(table, step) !== null && !site.isCut && !isUnknownWord && !table.isUnclear)
        reasons.push(run.message);
    });
    expect(reasons).toEqual([]);
  });
});

function choose(set: RecordSet, { where = [], order }: CollectStep): string[] | null {
  try {
    const { rows } = filterRows(set, where);
    const ordered = order === undefined ? rows : orderRows(set, rows, order).rows;
    return ordered.map((row) => nameOf(row, set));
  } catch (error) {
    if (error instanceof Stop) return null;
    throw error;
  }
}

function nameOf(row: Row, { titleColumn }: RecordSet): string {
  return row.cells.get(titleColumn ?? "")?.text ?? "";
}

describe("rows that look the same", () => {
  const page = (number: number, names: readonly string[], isLast: boolean) => {
    const rows = names.map((name) => [{ said: name, meaning: null }]);
    const table = toTableNode({ columns: [{ name: "Tree", kind: "word" }], rows, isUnclear: false }, false);
    const next = node("link", "Next page", { ref: `n${number}`, url: `${HOST}/trees?page=${number + 2}` });
    return observation(`${HOST}/trees?page=${number + 1}`, [
      node("main", "", { children: [table, ...(isLast ? [] : [node("navigation", "", { children: [next] })])] }),
    ]);
  };
  const count = (...pages: (readonly string[])[]) =>
    browse(
      { list: "trees", count: true },
      { pages: pages.map((names, index) => page(index, names, index === pages.length - 1)), isCut: false },
    );

  test("are counted on one page, and not on two, where they may be one", () => {
    expect(count(["Oak", "Oak", "Elm"])).toMatchObject({ answers: [{ text: "3" }] });
    expect(count(["Oak", "Elm"], ["Elm", "Fir"])).toBeInstanceOf(Stop);
  });

  test("are the same when the next page shows everything again", () => {
    expect(count(["Oak", "Elm"], ["Oak", "Elm", "Fir"])).toMatchObject({ answers: [{ text: "3" }] });
  });
});
