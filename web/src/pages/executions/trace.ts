import type { ExecutionEvent } from "../../../../src/contract/execution-event.ts";
import { formatDuration } from "../../components/time.tsx";

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
  changes: Change[];
  /** The artifact id of the screenshot. */
  screenshot: string | null;
  /** Where the element was that the step acted on, in pixels of an earlier screenshot. */
  mark: Mark | null;
  cost: Cost | null;
  at: string;
  /** Since the previous event. */
  durationMs: number;
}

interface Mark {
  screenshot: string;
  x: number;
  y: number;
  width: number;
  height: number;
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

/** What a person was asked, and how it ended. */
export interface Question {
  kind: "question";
  key: number;
  interactionId: string;
  message: string;
  /** Null while nobody has answered. */
  outcome: { state: string; answer: string; answeredBy: string } | null;
}

/** Errand tried to sign in again with the stored credentials. */
export interface Renewal {
  kind: "renewal";
  key: number;
  isRenewed: boolean;
}

/** What became of a recipe in this execution. */
export interface RecipeNote {
  outcome: string;
  recipeId: string;
  /** The step of the recipe that could not be followed, in words. */
  step: string;
  /** Why, in a sentence. */
  reason: string;
}

/** An execution as its events describe it so far. */
export interface Trace {
  startedAt: string | null;
  /** Steps, renewed sign-ins, questions and verifications in order. */
  moments: (Step | Renewal | Question | Verification)[];
  steps: Step[];
  recipeNotes: RecipeNote[];
  /** Everything a failed execution changed, or may have changed; empty for others. */
  sideEffectsOfFailed: Record<string, unknown>[];
  /** The total over all models. */
  cost: Cost | null;
}

export function readTrace(events: readonly ExecutionEvent[]): Trace {
  const moments: Trace["moments"] = [];
  let beforeMs = Number.NaN;
  for (const event of events) {
    const atMs = Date.parse(event.at);
    const durationMs = Number.isNaN(beforeMs) ? 0 : Math.max(0, atMs - beforeMs);
    beforeMs = atMs;
    if (event.type === "step") moments.push(readStep(event, durationMs));
    if (event.type === "sign_in") {
      moments.push({ kind: "renewal", key: event.id, isRenewed: event.data["outcome"] === "renewed" });
    }
    if (event.type === "interaction") readInteraction(event, moments);
    if (event.type === "verification") moments.push(readVerification(event, durationMs));
  }
  const last = events.at(-1);
  return {
    startedAt: events.find(({ type }) => type === "execution.started")?.at ?? null,
    moments,
    steps: moments.filter((moment) => moment.kind === "step"),
    recipeNotes: events.filter(({ type }) => type === "recipe").map(readRecipeNote),
    sideEffectsOfFailed: last?.type === "execution.failed" ? readSideEffectsOfFailed(events, last) : [],
    cost: readCost(last?.data["cost"]) ?? readTotalCost(events),
  };
}

/** The last event lists them all. If that is missing, the steps have them. */
function readSideEffectsOfFailed(events: readonly ExecutionEvent[], last: ExecutionEvent): Record<string, unknown>[] {
  const atEnd = readRecords(last.data["side_effects"]);
  return atEnd.length > 0 ? atEnd : events.flatMap(({ data }) => readRecords(data["side_effects"]));
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
    mark: readMark(data["mark"]),
    cost: readCost(data["cost"]),
    at,
    durationMs,
  };
}

function readMark(value: unknown): Mark | null {
  if (!isRecord(value)) return null;
  const screenshot = readText(value["screenshot"]);
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => readNumber(value[name]));
  if (screenshot === "" || x == null || y == null || width == null || height == null) return null;
  return { screenshot, x, y, width, height };
}

function readRecipeNote({ data }: ExecutionEvent): RecipeNote {
  return {
    outcome: readText(data["outcome"]),
    recipeId: readText(data["recipe_id"]),
    step: readText(data["step"]),
    reason: readText(data["reason"]),
  };
}

/** Two events: one when it is asked, and one when it ends. */
function readInteraction({ id, data }: ExecutionEvent, moments: Trace["moments"]): void {
  const interactionId = readText(data["interaction_id"]);
  const state = readText(data["state"]);
  if (state === "open") {
    moments.push({ kind: "question", key: id, interactionId, message: readText(data["message"]), outcome: null });
    return;
  }
  const asked = moments.findLast((moment) => moment.kind === "question" && moment.interactionId === interactionId);
  if (asked?.kind !== "question") return;
  asked.outcome = { state, answer: readText(data["answer"]), answeredBy: readText(data["answered_by"]) };
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

/** Something the execution changed, or may have changed, on a site. */
export interface Change {
  type: string;
  method: string;
  url: string;
  status: number | null;
  step: number | null;
  cause: string;
  isFirstParty: boolean;
  /** Such as a file name or the text of a dialog. */
  detail: string;
}

const KINDS: Record<string, string> = {
  request: "Request",
  form_submission: "Form submitted",
  websocket: "WebSocket",
  upload: "Upload",
  download: "Download",
  dialog: "Dialog accepted",
};

export function readChanges(value: unknown): Change[] {
  return readRecords(value).map((change) => ({
    type: readText(change["type"]),
    method: readText(change["method"]),
    url: readText(change["url"]),
    status: readNumber(change["status"]),
    step: readNumber(change["step"]),
    cause: readText(change["cause"]),
    isFirstParty: change["first_party"] !== false,
    detail: readDetail(change),
  }));
}

export function describeKind(type: string): string {
  return Object.hasOwn(KINDS, type) ? (KINDS[type] ?? type) : type.replaceAll("_", " ");
}

function readDetail({ type, name, message, count }: Record<string, unknown>): string {
  if (type === "left_out") return `${readNumber(count) ?? "some"} more not listed`;
  return readText(name) || readText(message);
}

/** What model calls took. */
interface Cost {
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  durationMs: number;
  requests: number;
}

function readCost(value: unknown): Cost | null {
  if (!isRecord(value)) return null;
  return {
    model: readText(value["model"]),
    inputTokens: readNumber(value["input_tokens"]) ?? 0,
    cachedTokens: readNumber(value["cached_input_tokens"]) ?? 0,
    outputTokens: readNumber(value["output_tokens"]) ?? 0,
    durationMs: readNumber(value["duration_ms"]) ?? 0,
    requests: readNumber(value["requests"]) ?? 0,
  };
}

export function describeCost({ inputTokens, cachedTokens, outputTokens, durationMs }: Cost): string {
  const count = (tokens: number) => tokens.toLocaleString("en");
  const cached = cachedTokens === 0 ? "" : ` (${count(cachedTokens)} cached)`;
  return `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out, ${formatDuration(durationMs)} of model time`;
}

/** Events may be truncated and contain text from pages, so every field is read defensively. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function readNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function readRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
