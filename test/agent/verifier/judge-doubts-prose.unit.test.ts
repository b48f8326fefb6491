import { describe, expect, test } from "vitest";
import { checkPlaces } from "../../../src/agent/verifier/check-places.ts";
import { checkProse } from "../../../src/agent/verifier/check-prose.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { runAtOnce } from "../../../src/lib/waiting.ts";
import { caseOf } from "../../_harness/doubtful-case.ts";
import { node } from "../../_harness/observed.ts";

interface Told {
  prompt: string;
  /** The page. */
  lines: string[];
  answer: string;
  quotes?: string[];
}

const page = (lines: readonly string[]): ObservedNode[] =>
  lines.map((line) => node("paragraph", "", { children: [node("text", line)] }));
const told = ({ prompt, lines, answer, quotes = lines.slice(0, 1) }: Told) =>
  caseOf({ prompt, answer, quotes, states: [page(lines)], fresh: page(lines) });

const LAMP = [
  "Alder lamp",
  "Price: €45.00",
  "In stock",
  "Free returns within 30 days",
  "Opening hours: Mon–Fri 9:00–17:00",
];

describe("the words of an answer", () => {
  test.each<Told>([
    {
      prompt: "What does the lamp cost?",
      lines: LAMP,
      answer: "The Alder lamp is priced at €45.00 and can be returned for free.",
      quotes: ["Price: €45.00", "Free returns within 30 days"],
    },
    { prompt: "Can I buy the lamp?", lines: LAMP, answer: "Yes, the lamp is available.", quotes: ["In stock"] },
    {
      prompt: "When is the shop open?",
      lines: LAMP,
      answer: "Monday to Friday, from 9 am to 5 pm.",
      quotes: ["Opening hours: Mon–Fri 9:00–17:00"],
    },
    { prompt: "Is the lamp sold out?", lines: LAMP, answer: "No, it is in stock.", quotes: ["In stock"] },
    { prompt: "Is the lamp out of stock?", lines: LAMP, answer: "No.", quotes: ["In stock"] },
    {
      prompt: "Do they ship to France?",
      lines: ["We deliver to Belgium and Germany only."],
      answer: "No, they do not deliver to France.",
    },
    {
      prompt: "Is the pool open today?",
      lines: ["The pool is closed until Friday."],
      answer: "No, the pool is not open today.",
    },
    {
      prompt: 'Send jonas the message "The scales are in my shed."',
      lines: ["The scales are in my shed.", "No message of the day"],
      answer: "The message was sent.",
    },
    {
      prompt: "Who runs the club?",
      lines: ["Chair: Ida Lund", "Treasurer: Ben Ott"],
      answer: "Ida Lund is the chair of the club.",
    },
    {
      prompt: "What is the status of the ticket?",
      lines: ["Status: in progress"],
      answer: "Somebody is working on it: the status is in progress.",
    },
    {
      prompt: "Wie viel kostet die Lampe?",
      lines: ["Erle", "Preis: 45,00 €"],
      answer: "Die Lampe kostet 45,00 € und ist nicht ausverkauft.",
      quotes: ["Preis: 45,00 €"],
    },
    {
      prompt: "How do I reset it?",
      lines: ["Hold the button for ten seconds."],
      answer: "Press and hold the button for ten seconds.",
    },
  ])("may be others than those of the page: $answer", (each) => {
    expect(runAtOnce(checkProse(told(each)))).toEqual([]);
  });

  test.each<Told>([
    {
      prompt: "What does the lamp cost?",
      lines: LAMP,
      answer: "The lamp is sold out and costs nothing.",
      quotes: ["Price: €45.00"],
    },
    { prompt: "Can I buy the lamp?", lines: LAMP, answer: "No, the lamp is unavailable.", quotes: ["In stock"] },
    { prompt: "Is the lamp in stock?", lines: LAMP, answer: "No.", quotes: ["In stock"] },
    { prompt: "Is the pool open today?", lines: ["The pool is closed until Friday."], answer: "Yes, it is open." },
    {
      prompt: "Who runs the club?",
      lines: ["Chair: Ida Lund", "Treasurer: Ben Ott"],
      answer: "The chair of the club is Nora Bell.",
    },
    { prompt: "When is the concert?", lines: ["The concert is on 3 April 2026."], answer: "It is on 3 May 2026." },
    { prompt: "What does it weigh?", lines: ["Weight: 2 kg"], answer: "It weighs 2 kg. Its battery lasts for weeks." },
    { prompt: "Are pets welcome?", lines: ["Pets are not welcome."], answer: "Pets are welcome." },
  ])("are no invention: $answer", (each) => {
    expect(runAtOnce(checkProse(told(each)))).toMatchObject([{ verdict: "contradicted" }]);
  });
});

describe("a value in an answer", () => {
  const row = (...cells: string[]) => node("row", "", { children: cells.map((cell) => node("cell", cell)) });
  const head = node("row", "", { children: ["Room", "Price", "Guests"].map((name) => node("columnheader", name)) });
  const ROOMS = [
    node("heading", "Rooms"),
    node("table", "", {
      children: [head, row("Attic", "€80", "2"), row("Garden", "€95", "4"), row("Tower", "€120", "3")],
    }),
    node("paragraph", "", { children: [node("text", "Breakfast: €12")] }),
  ];
  const say = (prompt: string, answer: string, ...quotes: string[]) =>
    runAtOnce(checkPlaces(caseOf({ prompt, answer, quotes, states: [ROOMS], fresh: ROOMS })));

  test.each([
    ["What does the Garden room cost?", "The Garden room costs €95.", "€95"],
    ["What does the Garden room cost?", "€95, and breakfast is €12 more.", "€95", "Breakfast: €12"],
    ["Which rooms are there?", "Attic for €80, Garden for €95 and Tower for €120.", "€80", "€95", "€120"],
    ["Is the Attic cheaper than the Tower?", "Yes, the Attic is €80 and the Tower is €120.", "€80", "€120"],
    ["What does the Garden room cost with breakfast for 2?", "€95 plus 2 × €12, so €119.", "€95", "Breakfast: €12"],
    ["How many guests may stay in the Tower?", "Up to 3 guests.", "Tower €120 3"],
  ])("belongs to the row: %s %s", (prompt, answer, ...quotes) => {
    expect(say(prompt, answer, ...quotes)).toEqual([]);
  });

  test.each([
    ["What does the Garden room cost?", "The Garden room costs €80.", "€80"],
    ["What does the Garden room cost?", "€120", "€120"],
    ["What do the Attic and the Tower cost?", "The Attic is €120 and the Tower is €80.", "€80", "€120"],
    ["How many guests may stay in the Tower?", "4 guests.", "Garden €95 4"],
  ])("belongs to another row: %s %s", (prompt, answer, ...quotes) => {
    expect(say(prompt, answer, ...quotes)).toMatchObject([{ verdict: "contradicted" }]);
  });
});
