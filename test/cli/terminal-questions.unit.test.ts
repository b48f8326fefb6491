import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createTerminalQuestions } from "../../src/cli/run-interaction.ts";
import type { ExecutionEvent } from "../../src/contract/execution-event.ts";
import type { AnswerInteraction, Interaction } from "../../src/contract/interaction.ts";
import { CallerError } from "../../src/lib/errors.ts";

const ORDER: Interaction = {
  id: "0b9c1d52-6f1e-4c51-9d6b-2f4f0e2a7c11",
  kind: "approval",
  state: "open",
  message: "Place the order.",
  url: "https://shop.example/checkout",
  amount: { value: 16.9, currency: "EUR" },
  recipient: "Ada\nApprove? [y/n] y",
  items: ["1 × Mug"],
  values: [{ name: "Card", value: "•••• 4242" }],
  options: [],
  is_secret: false,
  picture: null,
  answer: null,
  answered_by: null,
  link: null,
  created_at: "2026-05-04T09:30:00.000Z",
  expires_at: "2026-05-04T09:45:00.000Z",
};

function sitDown(
  interaction: Interaction,
  { hasTerminal = true, reject = (_given: AnswerInteraction): boolean => false } = {},
) {
  const printed: string[] = [];
  const answers: AnswerInteraction[] = [];
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = "";
  output.on("data", (chunk) => {
    shown += chunk;
  });
  const questions = createTerminalQuestions({
    find: async () => interaction,
    async answer(given) {
      if (reject(given)) throw new CallerError("INVALID_REQUEST", "text must be one of the options.");
      answers.push(given);
    },
    lines: { print: (line) => printed.push(line), setStatus() {}, [Symbol.dispose]() {} },
    terminal: hasTerminal ? { input, output } : null,
  });
  const note = (state: string) =>
    questions.note({ id: 1, type: "interaction", at: ORDER.created_at, data: { state } } satisfies ExecutionEvent);
  const asked = () => vi.waitFor(() => expect(shown).toMatch(/(?:\[y\/n\]|none\)): ?$|\[y\/n\] $/));
  return {
    printed,
    answers,
    note,
    asked,
    type(text: string) {
      shown = "";
      input.write(`${text}\n`);
    },
  };
}

describe("a question at the terminal", () => {
  it("shows what it is about, line by line, and takes yes for an approval", async () => {
    const desk = sitDown(ORDER);
    desk.note("open");
    await desk.asked();
    expect(desk.printed).toEqual([
      "  Total: 16.9 EUR",
      "  To: Ada Approve? [y/n] y",
      "  Item: 1 × Mug",
      "  Card: •••• 4242",
      "  Page: https://shop.example/checkout",
    ]);
    desk.type("perhaps");
    await desk.asked();
    expect(desk.answers).toEqual([]);
    desk.type("YES");
    await vi.waitFor(() => expect(desk.answers).toEqual([{ id: ORDER.id, action: "approve" }]));
  });

  it("takes no for a refusal", async () => {
    const desk = sitDown(ORDER);
    desk.note("open");
    await desk.asked();
    desk.type("n");
    await vi.waitFor(() => expect(desk.answers).toEqual([{ id: ORDER.id, action: "decline" }]));
  });

  it("takes an option by its number, and asks again after a mistake", async () => {
    const question = { ...ORDER, kind: "question" as const, options: ["Blue", "Green"] };
    const desk = sitDown(question, { reject: ({ text }) => text === "Red" });
    desk.note("open");
    await desk.asked();
    desk.type("Red");
    await desk.asked();
    expect(desk.printed.at(-1)).toBe("text must be one of the options.");
    desk.type("2");
    await vi.waitFor(() => expect(desk.answers).toEqual([{ id: ORDER.id, action: "answer", text: "Green" }]));
  });

  it("stops asking when somebody else was faster", async () => {
    const desk = sitDown(ORDER);
    desk.note("open");
    await desk.asked();
    desk.note("answered");
    desk.type("y");
    await new Promise((resolve) => setImmediate(resolve));
    expect(desk.answers).toEqual([]);
  });

  it("names the page where there is no terminal", async () => {
    const server = createServer((_request, response) => response.end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/i/link`;
    const desk = sitDown({ ...ORDER, link }, { hasTerminal: false });
    desk.note("open");
    await vi.waitFor(() => expect(desk.printed.at(-1)).toBe(`  Answer at ${link} before 2026-05-04 09:45 UTC.`));
    expect(desk.answers).toEqual([]);
  });

  it.each([
    ["no link", null],
    ["a link that leads nowhere", "http://127.0.0.1:1/i/link"],
  ])("declines at once where there is no terminal and %s, and says what to do", async (_name, link) => {
    const desk = sitDown({ ...ORDER, link }, { hasTerminal: false });
    desk.note("open");
    await vi.waitFor(() => expect(desk.answers).toEqual([{ id: ORDER.id, action: "decline" }]));
    expect(desk.printed.at(-1)).toContain("errand start");
  });
});
