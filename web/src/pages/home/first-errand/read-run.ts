import type { ExecutionEvent } from "../../../../../src/contract/execution.ts";

export interface RunStep {
  number: number;
  /** What was done, for a person. */
  words: string;
  hasFailed: boolean;
  message: string | null;
  url: string;
  /** The id of the picture that was taken afterwards. */
  screenshot: string | null;
}

export interface RunCheck {
  about: string;
  verdict: string;
  evidence: string;
}

export interface Run {
  phase: "waiting" | "starting" | "acting" | "checking" | "ended";
  steps: RunStep[];
  checks: RunCheck[];
}

/** Where a run stands, from what it has told so far. What a site has put into it is text and nothing else. */
export function readRun(events: readonly ExecutionEvent[]): Run {
  const steps = events.filter(({ type }) => type === "step").map(({ data }) => readStep(data));
  const verdict = events.findLast(({ type }) => type === "verification");
  return { phase: findPhase(events), steps, checks: readChecks(verdict?.data["checks"]) };
}

function findPhase(events: readonly ExecutionEvent[]): Run["phase"] {
  switch (events.at(-1)?.type) {
    case undefined:
    case "execution.queued":
      return "waiting";
    case "execution.started":
      return "starting";
    case "step":
      return "acting";
    case "verification":
      return "checking";
    case "execution.completed":
    case "execution.failed":
      return "ended";
  }
}

function readStep({ step, why, action, outcome, message, url, screenshot }: ExecutionEvent["data"]): RunStep {
  return {
    number: Number(step),
    words: text(why) || text(action),
    hasFailed: outcome === "failed",
    message: typeof message === "string" ? message : null,
    url: text(url),
    screenshot: typeof screenshot === "string" ? screenshot : null,
  };
}

function readChecks(checks: unknown): RunCheck[] {
  if (!Array.isArray(checks)) return [];
  return checks.map((check: Record<string, unknown>) => ({
    about: text(check["about"]),
    verdict: text(check["verdict"]),
    evidence: text(check["evidence"]),
  }));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
