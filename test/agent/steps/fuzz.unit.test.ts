import { describe, expect, test } from "vitest";
import { isStep } from "../../../src/agent/steps/check-steps.ts";
import { describeStep } from "../../../src/agent/steps/describe-step.ts";
import { GRAMMAR } from "../../../src/agent/steps/english/grammar.ts";
import { readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import { findParts } from "../../../src/agent/verifier/whole-lists.ts";
import { createRandom, type Random } from "../../_harness/random.ts";

const SEED = 16;
const LIMIT = 20_000;
/** A machine can be slow. Measured alone, the worst text takes less than a tenth of this. */
const MAX_CPU_MS = 500;

const repeat = (unit: string, length = LIMIT) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Reads the text, checks what came of it, and returns the milliseconds of CPU that the reading took. */
function readSafely(text: string): number {
  const start = process.cpuUsage();
  const reading = readPrompt(text);
  const { user, system } = process.cpuUsage(start);
  const steps = reading.kind === "steps" ? reading.steps : reading.understood;
  for (const { step } of steps) {
    if (!isStep(step)) throw new Error(`Not a step: ${JSON.stringify(step).slice(0, 200)}`);
    describeStep(step);
  }
  if (reading.kind === "refused" && reading.suggestion !== null) {
    expect(readPrompt(reading.suggestion).kind).toBe("steps");
  }
  return (user + system) / 1_000;
}

const UNITS = [
  "there, ",
  "in ",
  "in the ",
  "and ",
  "and and ",
  "and then ",
  "then ",
  "until ",
  "until until ",
  "of ",
  "of of of ",
  "for ",
  "the ",
  "with ",
  "to ",
  "as ",
  "into ",
  "is ",
  "where ",
  "whose ",
  "between ",
  "or ",
  "please ",
  "that ",
  '"',
  "'",
  "“",
  "”",
  "„",
  "«",
  "‘",
  "`",
  "(",
  ")",
  "[",
  "{",
  "((([",
  "'a ",
  "a' ",
  "'a' ",
  '"a" ',
  '"a',
  'a"',
  ".",
  ",",
  ";",
  ":",
  "!",
  "?",
  ". ",
  ", ",
  "1. ",
  "1) ",
  "- ",
  "\n",
  "\n\n",
  "\r\n",
  "\t",
  " ",
  "a",
  "a ",
  "a.",
  "a,a",
  "/",
  "/a ",
  "https://a ",
  "/a:b/[c](d),e;f ",
  "5 ",
  "5,5 ",
  "€5 ",
  "1 or ",
  "2026-03-12 ",
  "12 March 2026 and ",
  "click ",
  "click a ",
  "click a, ",
  "click a and ",
  "type a in ",
  "type a into b and ",
  "replace a with b in ",
  "insert a after b in ",
  "upload a with b to c in ",
  "fill in a with b and ",
  "set a to b, ",
  "select a in b and ",
  "search for ",
  "what ",
  "what is ",
  "what is a of b ",
  "how many ",
  "how many a are ",
  "which a is the ",
  "list ",
  "list all a ",
  "list a of b where c is d and ",
  "tell me the ",
  "if it says a, ",
  "if ",
  "for each a, ",
  "for each of the ",
  "repeat: ",
  "repeat, ",
  "until the page says a, ",
  "wait until ",
  "check that ",
  "a is b and ",
  "in the row of ",
  "in the table a, ",
  "on all pages ",
  "on this page ",
  "it's ",
  "what's ",
  "don't ",
  "could you ",
  "under 5 and ",
  "in stock and ",
  "not ",
  "more than ",
  "costs ",
  "cheapest ",
  "first ",
  "next ",
  "中文",
  "中文，点击。",
  "打开 ",
  "والعربية ",
  "انقر على حفظ، ",
  "und dann ",
  "klicke auf Speichern, ",
  "ΑΣ ",
  "İ",
  "ß ",
  "\u0000",
  "\u0007",
  "\u001b[31m",
  "\u200b",
  "\u200d",
  "\u202e",
  "\ufeff",
  "\u00a0",
  "\ud800",
  "\udc00",
  "\ud83d\ude00",
  "e\u0301",
  "__proto__ ",
  "constructor ",
  "toString ",
  "hasOwnProperty ",
];
const PREFIXES = [
  "",
  "Click ",
  "What is ",
  "How many a are ",
  "Type a ",
  "Replace ",
  "List all a where ",
  "Tell me ",
  "If ",
  "For each ",
  "Fill in ",
  "Check that ",
];

/** Once as one sentence, once as many sentences of a length that is still read. */
function makeLong(prefix: string, unit: string): string[] {
  const sentence = `${prefix}${repeat(unit, 350)}`.trim();
  return [prefix + repeat(unit), repeat(`${sentence}.\n`)].map((text) => text.slice(0, LIMIT));
}

describe("a text of 20,000 characters", () => {
  test.each([
    ["there", repeat("there, ")],
    ["in", repeat("in ")],
    ["quotation marks", repeat('"')],
    ["opening quotation marks", repeat("“")],
    ["and", repeat("and ")],
    ["commas", repeat(",")],
    ["until", repeat("until ")],
    ["of", `List ${repeat("of ")}`],
    ["brackets", repeat("([{")],
    ["a sentence of 350 letters again and again", repeat(`List all a where ${repeat("whose a or ", 350)}. `)],
    ["one word", `How many a are ${repeat("a,")}`],
  ])("is read within bounded time: %s", (_, text) => {
    readSafely(text);
    expect(readSafely(text.slice(0, LIMIT))).toBeLessThan(MAX_CPU_MS);
  });

  test.each(["a", "a-", "pier ", "A 1, "])("is searched for parts within bounded time: %s repeated", (unit) => {
    const start = process.cpuUsage();
    findParts(repeat(unit));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  });

  test("is read within bounded time, whatever is repeated", () => {
    const random = createRandom(SEED);
    for (let round = 0; round < 150; round++) {
      const [prefix, unit] = [random.pick(PREFIXES), random.pick(UNITS)];
      for (const text of makeLong(prefix, unit)) {
        const about = `Seed ${SEED}, round ${round}: ${JSON.stringify(prefix)} and ${JSON.stringify(unit)} repeated`;
        expect(readSafely(text), about).toBeLessThan(MAX_CPU_MS);
      }
    }
  });
});

const ROUNDS = 1_500;

const WORDS = [
  ...new Set(
    GRAMMAR.flatMap(({ pattern, example }) => `${pattern.source} ${example}`.split(/[^\p{L}\p{N}'-]+/u)).filter(
      Boolean,
    ),
  ),
];
const PROMPTS = [
  ...GRAMMAR.map(({ example }) => example).filter(Boolean),
  "What does it cost? How many people does it seat?",
  "In the table Trees, what is the price of Larch?",
  "List the names and prices of all products between €5 and €15 on all pages, and click Next.",
  "For each of the links in the table Orders, open it and tell me the total.",
  'If it says "Try again", reload the page and click Save and Close. Then go to /a:b/[c](d),e;f?x=1&y="z"#h',
  "1. Click A 2. Click B\n3) Type 'Jo's' into First name and Doe into Last name",
];

describe("random texts", () => {
  test("are read or refused, and never an exception", () => {
    const random = createRandom(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const text = makeText(random);
      try {
        expect(readSafely(text)).toBeLessThan(MAX_CPU_MS);
      } catch (error) {
        throw new Error(`Seed ${SEED}, round ${round}: ${JSON.stringify(text)}`, { cause: error });
      }
    }
  });
});

function makeText(random: Random): string {
  const { int, pick, chance } = random;
  if (chance(0.3)) return Array.from({ length: int(1, 60) }, () => pick(WORDS)).join(" ");
  if (chance(0.2)) return Array.from({ length: int(1, 80) }, () => pick(UNITS)).join("");
  let text = Array.from({ length: int(1, 4) }, () => pick(PROMPTS)).join(pick([" ", "\n", ", ", " and ", " then "]));
  for (let changes = int(1, 6); changes > 0; changes--) text = mutate(text, random);
  return text.slice(0, LIMIT);
}

function mutate(text: string, { int, pick }: Random): string {
  const [one, other] = [int(0, text.length), int(0, text.length)].toSorted((a, b) => a - b) as [number, number];
  const part = text.slice(one, other);
  return pick([
    () => text.slice(0, one) + text.slice(one + int(1, 5)),
    () => text.slice(0, one) + pick(UNITS) + text.slice(one),
    () => text.slice(0, one) + String.fromCharCode(int(0, 0xffff)) + text.slice(one),
    () => text.slice(0, one) + text.slice(other) + part,
    () => text.slice(0, other) + part + text.slice(other),
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text.replaceAll(" ", "  "),
    () => text.split(" ").toReversed().join(" "),
    () => `${text.slice(0, one)} ${pick(WORDS)} ${text.slice(one)}`,
  ])();
}
