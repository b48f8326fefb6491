import { createInterface } from "node:readline/promises";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import type { AnswerInteraction, Interaction } from "../contract/interaction.ts";
import { CallerError } from "../lib/errors.ts";
import { clean, isServed, type LiveLines, toMinute } from "./output.ts";

interface QuestionDesk {
  find(): Promise<Interaction | null>;
  answer(answer: AnswerInteraction): Promise<void>;
  lines: LiveLines;
  /** Where somebody can answer; null without a terminal. */
  terminal: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream } | null;
}

/** What a run asks, at the terminal. */
export interface TerminalQuestions extends Disposable {
  /**
   * Shows what is asked and, at a terminal, takes the answer, until it was answered here or elsewhere. Without a terminal
   * and without a page it declines. Returns at once.
   */
  note(event: ExecutionEvent): void;
}

export function createTerminalQuestions(desk: QuestionDesk): TerminalQuestions {
  const { lines } = desk;
  let asking: AbortController | null = null;

  function close(): void {
    asking?.abort();
    asking = null;
    lines.setStatus("Working");
  }

  function open(): void {
    asking = new AbortController();
    const { signal } = asking;
    ask(desk, signal).catch((error: Error) => {
      if (!signal.aborted) lines.print(clean(error.message));
    });
  }

  return {
    note({ type, data }) {
      if (type !== "interaction") return;
      close();
      if (data["state"] === "open") open();
    },
    [Symbol.dispose]: close,
  };
}

async function ask(desk: QuestionDesk, signal: AbortSignal): Promise<void> {
  const { find, lines, terminal } = desk;
  const interaction = await find();
  if (interaction === null || signal.aborted) return;
  for (const line of describe(interaction)) lines.print(line);
  const link = interaction.link !== null && (await canOpen(interaction.link)) ? interaction.link : null;
  if (terminal === null) return answerElsewhere(desk, interaction, link);
  if (link !== null) lines.print(`  Or answer at ${link}`);
  lines.setStatus(null);
  using typing = createInterface(terminal);
  // Readline takes Ctrl-C from the terminal; the command must still be canceled by it.
  typing.on("SIGINT", () => process.emit("SIGINT"));
  const read = () => typing.question(`${PROMPTS[interaction.kind]} `, { signal });
  while (!(await takeAnswer(desk, interaction, await read())));
}

/** Without a terminal: on the page, if there is one. Waiting for nobody would only take time. */
async function answerElsewhere({ answer, lines }: QuestionDesk, { id, expires_at }: Interaction, link: string | null) {
  if (link !== null) {
    lines.print(`  Answer at ${link} before ${toMinute(new Date(expires_at))} UTC.`);
    lines.setStatus("Waiting for an answer");
    return;
  }
  lines.print(
    "  Nobody can answer here, so it is declined. Run this in a terminal, or start the service: errand start.",
  );
  await answer({ id, action: "decline" });
}

/** A URL of another machine may only lead there from outside. */
async function canOpen(link: string): Promise<boolean> {
  return !/^(?:localhost|127\.|\[::1\])/.test(new URL(link).hostname) || (await isServed(link));
}

/** False when what was typed is no answer. */
async function takeAnswer({ answer, lines }: QuestionDesk, interaction: Interaction, typed: string): Promise<boolean> {
  const given = readAnswer(interaction, typed);
  if (given === null) return false;
  try {
    await answer({ id: interaction.id, ...given });
    return true;
  } catch (error) {
    if (!(error instanceof CallerError) || error.code !== "INVALID_REQUEST") throw error;
    lines.print(clean(error.message));
    return false;
  }
}

const PROMPTS = {
  approval: "Approve? [y/n]",
  question: "Answer (empty: none):",
  takeover: "Continue? [y/n]",
};

/** Null when it is neither yes nor no. */
function readAnswer({ kind, options }: Interaction, typed: string): Omit<AnswerInteraction, "id"> | null {
  const text = typed.trim();
  if (kind === "question") {
    if (text === "") return { action: "decline" };
    return { action: "answer", text: options[Number(text) - 1] ?? text };
  }
  if (/^n(o)?$/i.test(text)) return { action: "decline" };
  return /^y(es)?$/i.test(text) ? { action: kind === "approval" ? "approve" : "hand_back" } : null;
}

/** On one line and without control characters: it comes from a page. */
function toLine(text: string): string {
  return clean(text).replaceAll("\n", " ");
}

function describe({ url, amount, recipient, items, values, options }: Interaction): string[] {
  return [
    ...(amount === null ? [] : [`  Total: ${amount.value} ${toLine(amount.currency)}`]),
    ...(recipient === null ? [] : [`  To: ${toLine(recipient)}`]),
    ...items.map((item) => `  Item: ${toLine(item)}`),
    ...values.map(({ name, value }) => `  ${toLine(name)}: ${toLine(value)}`),
    ...options.map((option, index) => `  ${index + 1}. ${toLine(option)}`),
    `  Page: ${toLine(url)}`,
  ];
}
