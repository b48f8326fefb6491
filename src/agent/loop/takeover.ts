import type { Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Gate } from "../gate/gate.ts";
import type { CapturedPages } from "../grounding/captured-pages.ts";
import type { StepRecorder } from "./step-recorder.ts";

interface LentBrowser {
  readonly session: BrowserSession;
  readonly gate: Gate | null;
  readonly recorder: StepRecorder;
  readonly captured: CapturedPages;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Lets a person use the browser. They answer for what they send, so the gate is open meanwhile. When `use` returns true, a
 * step says that somebody was there, but not what they typed. Returns the page as they left it; null when nobody was there.
 */
export async function lendBrowser(
  { session, gate, recorder, captured, clock, signal }: LentBrowser,
  before: Observation,
  use: () => Promise<boolean>,
): Promise<Observation | null> {
  const mark = session.mark();
  const startedAt = clock.now();
  session.setGate(() => "pass");
  try {
    if (!(await use())) return null;
  } finally {
    if (gate !== null) session.setGate(gate.decide);
  }
  const after = await session.observe(signal);
  captured.add(after);
  const report = {
    call: { action: "takeover", input: {} },
    failure: null,
    data: null,
    urlBefore: before.url,
    urlAfter: after.url,
    added: [],
    removed: [],
    events: session.since(mark),
    unanswered: null,
    heldBack: null,
  };
  await recorder.record(report, after, "A person used the browser.", startedAt);
  return after;
}
