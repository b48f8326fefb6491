import { describeCall } from "../../src/agent/actions/public-call.ts";
import type { StepCause } from "../../src/agent/actions/side-effects.ts";
import { CapturedPages, capturePage } from "../../src/agent/grounding/captured-pages.ts";
import type { Claim } from "../../src/agent/grounding/claim.ts";
import type { Case } from "../../src/agent/verifier/case.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";
import { observation, request } from "./observed.ts";

export const HOME = "https://shop.example/list";

interface Scene {
  prompt: string;
  answer?: string;
  quotes?: string[];
  data?: Record<string, [unknown, string]>[];
  /** The page's states, oldest first; the last one is current. */
  states?: ObservedNode[][];
  /** The page in a fresh browser. */
  fresh?: ObservedNode[];
  steps?: Partial<StepCause>[];
  writes?: (Partial<NetworkRecord> & { step: number })[];
}

/** A case on one page. */
export function caseOf({
  prompt,
  answer = "",
  quotes = [],
  data,
  states = [[]],
  fresh = [],
  steps = [],
  writes = [],
}: Scene): Case {
  const captured = new CapturedPages();
  const seen = states.map((children, index) => observation(HOME, children, { number: index + 1 }));
  for (const state of seen) captured.add(state);
  const live = seen.at(-1) as Observation;
  const again = observation(HOME, fresh);
  const causes = steps.map((step, index) => toStep(step, index + 1));
  return {
    task: { prompt, startUrl: HOME, outputSchema: null, now: new Date("2026-03-11T10:00:00Z") },
    claim: claimOf(answer, quotes, data),
    live,
    captured,
    freshPages: [{ url: HOME, page: capturePage(again), observation: again, note: null }],
    steps: causes,
    writes: writes.map(({ step, ...write }) => ({ write: request(write), cause: causes[step - 1] ?? null })),
    events: { requests: [], downloads: [], dialogs: [] },
  };
}

export function toStep(step: Partial<StepCause>, number: number): StepCause {
  const call = step.call ?? { action: "click", input: {} };
  const at = new Date("2026-03-11T10:00:00Z");
  const cause = describeCall(call);
  return {
    step: number,
    cause,
    hasFailed: false,
    effect: "mutate",
    url: HOME,
    seen: null,
    at,
    after: null,
    ...step,
    call,
  };
}

function claimOf(answer: string, quotes: readonly string[], data: Scene["data"]): Claim {
  const leaves = (data ?? []).flatMap((item, index) =>
    Object.entries(item).map(([name, [value, quote]]) => ({ pointer: `/${index}/${name}`, value, quote, url: HOME })),
  );
  const values = (data ?? []).map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, [value]]) => [name, value])),
  );
  return {
    answer,
    facts: quotes.map((quote) => ({ label: "it", value: quote, quote, url: HOME })),
    extraction: data === undefined ? null : { data: values, leaves, coverage: "", missing: [] },
    conditions: [],
  };
}
