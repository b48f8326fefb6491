import type { ExecutionEvent } from "../../../../../src/contract/execution.ts";
import { type ChangeMade, readChanges } from "./change-made.ts";
import { type Cost, readCost } from "./cost.ts";
import { isRecord, readNumber, readRecords, readText } from "./read-data.ts";

export interface Step {
  kind: "step";
  key: number;
  number: number;
  action: string;
  input: Record<string, unknown>;
  why: string;
  hasFailed: boolean;
  message: string;
  url: string;
  title: string;
  changes: ChangeMade[];
  /** The id of a picture. */
  screenshot: string | null;
  cost: Cost | null;
  at: string;
  /** Since what came before it. */
  durationMs: number;
}

export interface Check {
  about: string;
  verdict: "satisfied" | "contradicted" | "unknown";
  evidence: string;
}

export interface Verification {
  kind: "verification";
  key: number;
  hasAgreed: boolean;
  reason: string;
  checks: Check[];
  cost: Cost | null;
  at: string;
  durationMs: number;
}

/** What an execution has told of itself so far. */
export interface Run {
  startedAt: string | null;
  /** In the order in which it happened. */
  moments: (Step | Verification)[];
  steps: Step[];
  /** Of a run that has failed; null while it goes on, and for one that has a result. */
  changesOfFailed: ChangeMade[] | null;
  /** Of all models. */
  cost: Cost | null;
}

export function readRun(events: readonly ExecutionEvent[]): Run {
  const moments: Run["moments"] = [];
  let beforeMs = Number.NaN;
  for (const event of events) {
    const atMs = Date.parse(event.at);
    const durationMs = Number.isNaN(beforeMs) ? 0 : Math.max(0, atMs - beforeMs);
    beforeMs = atMs;
    if (event.type === "step") moments.push(readStep(event, durationMs));
    if (event.type === "verification") moments.push(readVerification(event, durationMs));
  }
  const last = events.at(-1);
  return {
    startedAt: events.find(({ type }) => type === "execution.started")?.at ?? null,
    moments,
    steps: moments.filter((moment) => moment.kind === "step"),
    changesOfFailed: last?.type === "execution.failed" ? readChanges(last.data["side_effects"]) : null,
    cost: readCost(last?.data["cost"]) ?? readTotalCost(events),
  };
}

function readStep({ id, at, data }: ExecutionEvent, durationMs: number): Step {
  return {
    kind: "step",
    key: id,
    number: readNumber(data["step"]) ?? id,
    action: readText(data["action"]),
    input: isRecord(data["input"]) ? data["input"] : {},
    why: readText(data["why"]),
    hasFailed: data["outcome"] === "failed",
    message: readText(data["message"]),
    url: readText(data["url"]),
    title: readText(data["title"]),
    changes: readChanges(data["side_effects"]),
    screenshot: readText(data["screenshot"]) || null,
    cost: readCost(data["cost"]),
    at,
    durationMs,
  };
}

function readVerification({ id, at, data }: ExecutionEvent, durationMs: number): Verification {
  return {
    kind: "verification",
    key: id,
    hasAgreed: data["agreed"] === true,
    reason: readText(data["reason"]),
    checks: readRecords(data["checks"]).map(readCheck),
    cost: readCost(data["cost"]),
    at,
    durationMs,
  };
}

function readCheck({ about, verdict, evidence }: Record<string, unknown>): Check {
  return {
    about: readText(about),
    verdict: verdict === "satisfied" || verdict === "contradicted" ? verdict : "unknown",
    evidence: readText(evidence),
  };
}

function readTotalCost(events: readonly ExecutionEvent[]): Cost | null {
  const verification = events.findLast(({ type }) => type === "verification");
  return readCost(verification?.data["total_cost"]);
}
