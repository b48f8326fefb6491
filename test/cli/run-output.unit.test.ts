import { expect, test } from "vitest";
import { describeEvent, describeResult } from "../../src/cli/run.ts";
import type { ExecutionEvent } from "../../src/contract/execution-event.ts";
import type { ExecutionRecord } from "../../src/executions/execution.ts";

const COST = {
  model: "openai-compatible:small",
  input_tokens: 12_345,
  cached_input_tokens: 2_000,
  output_tokens: 67,
  duration_ms: 1_540,
  requests: 3,
};

function event(type: ExecutionEvent["type"], data: ExecutionEvent["data"]): ExecutionEvent {
  return { id: 1, type, at: "2026-03-11T10:00:00.000Z", data };
}

const END = { folder: null, durationMs: 12_340, consoleUrl: "http://127.0.0.1:3000/console/executions/1", start: null };

/** The lines that end every result. */
const LAST = ["Took 12.3 s, not charged", "Console: http://127.0.0.1:3000/console/executions/1"];

function failed(data: ExecutionEvent["data"], status = "goal_unreachable"): string {
  const record = {
    credits: 1,
    charged: false,
    terminal: { status, reason: "The site refused." },
    result: null,
    error: { code: "SITE_REFUSED", message: "The site refused. Look at what was entered." },
  } as unknown as ExecutionRecord;
  return describeResult(record, event("execution.failed", data), END).join("\n");
}

test("a step shows the model usage of its decision", () => {
  const step = { step: 2, action: "click", input: { label: "Save" }, outcome: "ok", message: null, why: "To save." };
  expect(describeEvent(event("step", { ...step, cost: COST }))).toContain(
    "12,345 tokens in (2,000 cached), 67 out, 1.5 s",
  );
  expect(describeEvent(event("step", { ...step, cost: null }))).not.toContain("tokens");
});

test("a step without a model is said once, in words", () => {
  const step = { step: 2, action: "click", input: { label: "Save" }, outcome: "ok", message: null };
  const say = (more: object) => describeEvent(event("step", { ...step, cost: null, ...more }));
  expect(say({ why: 'Click the button "Save".' })).toBe('  2. Click the button "Save"');
  expect(say({ why: "" })).toBe('  2. click "Save"');
  expect(say({ why: "Go on.", outcome: "failed", message: "It is gone." })).toBe("  2. Go on: It is gone.");
});

test("the result ends with duration, credits and the console, which may have to be started", () => {
  const record = { terminal: { status: "verified" }, result: null, error: null, credits: 2, charged: true };
  const end = { ...END, start: "errand start --data-dir /srv/errand" };
  expect(describeResult(record as unknown as ExecutionRecord, null, end).slice(-2)).toEqual([
    "Took 12.3 s, 2 credits",
    "Console: http://127.0.0.1:3000/console/executions/1 (after errand start --data-dir /srv/errand)",
  ]);
});

test("the result shows the total model usage, and nothing without a model", () => {
  expect(failed({ cost: COST })).toContain("Model: openai-compatible:small, 12,345 tokens in");
  expect(failed({ cost: COST })).toContain("3 requests");
  expect(failed({})).not.toContain("Model:");
});

test("requests that the site rejected do not count as changes", () => {
  const sent = { type: "request", method: "POST", url: "https://shop.example/pay", step: 3, cause: "click Pay" };
  expect(
    failed({ side_effects: [{ ...sent, status: 422 }] })
      .split("\n")
      .slice(2),
  ).toEqual([
    "Changes: none",
    "Rejected by the site: 1",
    "  Sent data to shop.example: click Pay",
    "    request POST https://shop.example/pay → 422",
    ...LAST,
  ]);
  expect(failed({ side_effects: [{ ...sent, status: null }] })).toContain("Changes: 1");
});

test("what was done is told in words, with its request below", () => {
  const order = { type: "form_submission", method: "POST", url: "https://shop.example/orders", status: 303, step: 3 };
  const lines = failed({ side_effects: [{ ...order, description: "Placed order T-1: 1 × mug, €16.90" }] }).split("\n");
  expect(lines.slice(2)).toEqual([
    "Changes: 1",
    "  Placed order T-1: 1 × mug, €16.90",
    "    form_submission POST https://shop.example/orders → 303",
    ...LAST,
  ]);
});

test("a lost run is not said to have changed nothing", () => {
  expect(failed({}, "worker_lost")).toContain("Changes: none, as far as known");
});
