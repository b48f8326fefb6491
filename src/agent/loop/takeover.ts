import type { Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Gate } from "../gate/gate.ts";
import type { PersonRole } from "../gate/people.ts";
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
 * Lets a person use the browser. They answer for what they send, so the gate is open meanwhile. When `use` returns who
 * was there, a step says so, but not what they typed. Returns the page as they left it; null when nobody was there.
 */
export async function lendBrowser(
  { session, gate, recorder, captured, clock, signal }: LentBrowser,
  before: Observation,
  use: () => Promise<PersonRole | null>,
): Promise<Observation | null> {
  const mark = session.mark();
  const startedAt = clock.now();
  session.setGate(() => "pass");
  let by: PersonRole | null;
  try {
    by = await use();
  } finally {
    if (gate !== null) session.setGate(gate.decide);
  }
  if (by === null) return null;
  const after = await session.observe(signal);
  captured.add(after);
  const report = {
    call: { action: "takeover", input: { by } },
    failure: null,
    data: null,
    urlBefore: before.url,
    urlAfter: after.url,
    added: [],
    removed: [],
    events: session.since(mark),
    unanswered: null,
    place: null,
    heldBack: null,
  };
  recorder.takeScreenshot();
  recorder.record(report, after, `${PEOPLE[by]} used the browser.`, startedAt);
  return after;
}

const PEOPLE: Record<PersonRole, string> = {
  user: "The user",
  owner: "The application's owner",
  application: "The application",
  link: "Somebody with the link",
};
