import { describeCall } from "../agent/describe-call.ts";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import type { ExecutionRecord } from "../executions/execution-record.ts";
import { paint } from "./output.ts";

/** What a person sees of one event while a run goes on; null for what says nothing to them. */
export function describeEvent({ type, data }: ExecutionEvent): string | null {
  switch (type) {
    case "execution.queued":
      return null;
    case "execution.started":
      return "Started";
    case "step":
      return describeStep(data);
    // The result says it.
    case "verification":
    case "execution.completed":
    case "execution.failed":
      return null;
  }
}

/** The result, for a person. `lastEvent` knows what a failed run left behind, and what models took. */
export function describeResult(
  { terminal, result, error }: ExecutionRecord,
  lastEvent: ExecutionEvent | null,
  artifactFolder: string | null,
): string[] {
  const evidence = artifactFolder === null ? [] : [`Evidence: ${artifactFolder}`];
  if (result === null) {
    const [reason, message] = [clean(terminal?.reason), clean(error?.message)];
    return [
      paint(process.stdout, ["bold", "red"], `✗ Failed: ${terminal?.status.replaceAll("_", " ")}`),
      // What to do next often says again what has happened.
      ...(message.includes(reason) ? [message] : [reason, message]),
      ...describeChecks(lastEvent?.data["verifier"]),
      ...describeSideEffects(lastEvent?.data["side_effects"], terminal?.status !== "worker_lost"),
      ...describeCost(lastEvent?.data["cost"]),
      ...evidence,
    ];
  }
  return [
    paint(process.stdout, "bold", clean(result.final_text)),
    ...(result.extracted === null ? [] : [clean(JSON.stringify(result.extracted, null, 2))]),
    "",
    `${paint(process.stdout, ["bold", "green"], "✓ Verified:")} ${clean(result.evidence.verifier.reason)}`,
    ...describeSideEffects(result.evidence.side_effects, true),
    `Page: ${clean(result.final_title)} (${clean(result.final_url)})`,
    ...describeCost(lastEvent?.data["cost"]),
    ...evidence,
  ];
}

function describeStep(data: ExecutionEvent["data"]): string {
  const { step, action, input, outcome, message, why, cost } = data;
  const call = { action: clean(action), input: isRecord(input) ? input : {} };
  const trouble = outcome === "failed" ? `: ${clean(message)}` : "";
  const reason = typeof why === "string" && why !== "" ? paint(process.stderr, "dim", ` (${clean(why)})`) : "";
  const spent = isRecord(cost) ? paint(process.stderr, "dim", ` ${tellTokens(cost)}`) : "";
  const did = `${String(step).padStart(3)}. ${clean(describeCall(call))}`;
  return `${did}${paint(process.stderr, "yellow", trouble)}${reason}${spent}`;
}

function describeCost(cost: unknown): string[] {
  if (!isRecord(cost)) return [];
  const requests = Number(cost["requests"]);
  return [
    `Model: ${clean(cost["model"])}, ${tellTokens(cost)}, ${requests} ${requests === 1 ? "request" : "requests"}`,
  ];
}

function tellTokens({
  input_tokens,
  cached_input_tokens,
  output_tokens,
  duration_ms,
}: Record<string, unknown>): string {
  const count = (tokens: unknown) => Number(tokens).toLocaleString("en");
  const cached = Number(cached_input_tokens) > 0 ? ` (${count(cached_input_tokens)} kept)` : "";
  return `${count(input_tokens)} tokens in${cached}, ${count(output_tokens)} out, ${(Number(duration_ms) / 1_000).toFixed(1)} s`;
}

function describeChecks(verifier: unknown): string[] {
  const checks = isRecord(verifier) && Array.isArray(verifier["checks"]) ? verifier["checks"].filter(isRecord) : [];
  return checks.map(({ verdict, about, evidence }) => `  ${clean(verdict)}: ${clean(about)} (${clean(evidence)})`);
}

/** Of a run that was lost, what it did last is not known. */
function describeSideEffects(sideEffects: unknown, isAll: boolean): string[] {
  const entries = Array.isArray(sideEffects) ? sideEffects.filter(isRecord) : [];
  const refused = entries.filter(({ status }) => Number(status) >= 400);
  const changed = entries.filter((entry) => !refused.includes(entry));
  return [
    `Changed: ${tellCount(changed.length)}${isAll ? "" : ", as far as is known"}`,
    ...changed.map(describeSideEffect),
    ...(refused.length === 0 ? [] : [`Tried, and refused by the site: ${tellCount(refused.length)}`]),
    ...refused.map(describeSideEffect),
  ];
}

function tellCount(count: number): string {
  if (count === 0) return "nothing";
  return count === 1 ? "one thing" : `${count} things`;
}

function describeSideEffect({ type, method, url, status, cause }: Record<string, unknown>): string {
  const parts = [type, method, url, status === null || status === undefined ? null : `→ ${status}`];
  const what = parts.filter((part) => part !== null && part !== undefined).map(clean);
  return `  ${what.join(" ")}${typeof cause === "string" ? ` (${clean(cause)})` : ""}`;
}

/** Much of this comes from pages: nothing of it may steer a terminal. */
function clean(text: unknown): string {
  return String(text ?? "").replace(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, "\ufffd");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
