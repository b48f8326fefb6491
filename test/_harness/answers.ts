import type { Turn } from "../../src/agent/planner/planner.ts";
import { readPrompt } from "../../src/agent/steps/english/read-prompt.ts";
import { performStep } from "../../src/agent/steps/perform.ts";
import { StepsRun, Stop } from "../../src/agent/steps/run.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";
import { node, observation, report } from "./observed.ts";

export const URL = "https://shop.example/list";
export const text = (content: string) => node("text", content);
export const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
export const table = (name: string, ...rows: string[][]) => {
  const toRow = (texts: string[], index: number) =>
    box("row", ...texts.map((content) => node(index === 0 ? "columnheader" : "cell", content)));
  return node("table", name, { children: rows.map(toRow) });
};
export const page = (...children: ObservedNode[]) => observation(URL, [box("main", ...children)]);
export const pairs = (values: Record<string, string>) =>
  box(
    "generic",
    ...Object.entries(values).flatMap(([label, value]) => [node("term", label), node("definition", value)]),
  );

/** When the questions are asked. */
const NOW = new Date("2026-06-15T12:00:00Z");

/** The lines of the answer; or why there is none. Nothing on the page changes, so waiting is instant. */
export function answer(prompt: string, seen: Observation, requests: NetworkRecord[] = []): readonly string[] | Stop {
  const reading = readPrompt(prompt);
  if (reading.kind === "refused") throw new Error(`"${reading.clause}" is not understood.`);
  const turn: Turn = {
    observation: seen,
    reports: [report("look", {}, { events: { requests } })],
    stepsLeft: 100,
    spent: 0,
    takeScreenshot: async () => null,
    signal: new AbortController().signal,
  };
  const run = new StepsRun(turn, seen.url, NOW);
  try {
    for (const { step } of reading.steps) {
      const running = performStep(step, run);
      let request = running.next(turn);
      while (request.done !== true) request = running.next(turn);
    }
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
  return run.answers.map(({ text: said }) => said);
}
