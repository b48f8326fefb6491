import { readFile } from "node:fs/promises";
import { Counter } from "prom-client";
import { type Box, type Observation, walk } from "../../browser/observation/observation.ts";
import { toLines } from "../../browser/observation/observation-text.ts";
import type { BrowserSession, QuarantinedDownload } from "../../browser/session/browser-session.ts";
import { isWrite } from "../../browser/session/network-record.ts";
import { type Cost, type CostMeter, toCost } from "../../models/usage.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import { ACTIONS } from "../actions/catalogue.ts";
import { describeCall } from "../actions/public-call.ts";
import type { SeenTarget, SideEffect, SideEffectLedger } from "../actions/side-effects.ts";
import { toProvenance } from "../extraction/provenance.ts";
import type { Extraction, Screenshot } from "../grounding/claim.ts";
import { redactUrl } from "../safe-text.ts";
import type { NewArtifact, Reporter, StepReport } from "./errand.ts";

interface StepRecorderOptions {
  readonly session: BrowserSession;
  readonly ledger: SideEffectLedger;
  readonly reporter: Reporter;
  readonly meter: CostMeter;
}

/** Records each step: its side effects, a screenshot and an event. */
export class StepRecorder {
  readonly #options: StepRecorderOptions;
  #written: Promise<unknown> = Promise.resolve();
  #screenshot: Promise<Screenshot | null> = Promise.resolve(null);
  #count: number;
  /** After the last step that was recorded. */
  #observed: Observation | null = null;
  readonly downloads: QuarantinedDownload[] = [];
  /** Artifact ids, by the number of the observation. */
  readonly #screenshotIds = new Map<number, string>();

  constructor(options: StepRecorderOptions) {
    this.#options = options;
    this.#count = options.reporter.steps ?? 0;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Takes the screenshot of the step that has just settled, in parallel with the observation of the page and the decision on
   * the next step.
   */
  takeScreenshot(): void {
    // When the browser is lost, the run learns it from its next use.
    this.#screenshot = this.#options.session.screenshot().catch(() => null);
  }

  /** The next action would change what the screenshot shows, so it waits for this. */
  async screenshotTaken(): Promise<void> {
    await this.#screenshot;
  }

  /** Keeps a screenshot of the page as it is now; null when there is none. */
  readonly takePicture = async (): Promise<string | null> => {
    const { session, reporter } = this.#options;
    const screenshot = await session.screenshot();
    if (screenshot === null) return null;
    return (await reporter.saveArtifact(toArtifact("before-step", this.#count + 1, screenshot))).id;
  };

  /** Everything is written in order, in parallel with the next steps. */
  record(report: ActionReport, observation: Observation, why: string, startedAt: Date): void {
    const { session, ledger, meter } = this.#options;
    const { call, place, urlBefore, failure } = report;
    const step = ++this.#count;
    const cost = toCost(meter.takeSinceLast());
    const hasFailed = failure !== null;
    const effect = ACTIONS.get(call.action)?.effect ?? "mutate";
    countStep(call.action, hasFailed ? "failed" : "ok");
    const mark = this.#observed && findMark(call, this.#observed);
    const seen = this.#observed && findTarget(call, this.#observed);
    this.#observed = observation;
    const after = report.events.requests.some(isWrite) ? observation.root : null;
    const url = urlBefore;
    const cause = { step, cause: describeCall(call), call, place, hasFailed, effect, url, seen, at: startedAt, after };
    const sideEffects = ledger.record(cause, report);
    // What was changed is read again at the end.
    if (sideEffects.length > 0) session.prepareVerification();
    // What a person sends is not what the run was asked to send.
    if (call.action === "takeover") ledger.excludeEarlier(report.events.requests);
    this.downloads.push(...report.events.downloads);
    const taken = this.#screenshot;
    const earlier = this.#written;
    this.#written = (async () => {
      await earlier;
      await this.#write(step, report, observation, { why, cost, sideEffects, screenshot: await taken, mark });
    })();
    // `flush` reports a failure; until then it must not count as unhandled.
    this.#written.catch(() => {});
  }

  /** The id of the screenshot that belongs to this observation; null when there is none. */
  screenshotOf(observationNumber: number): string | null {
    return this.#screenshotIds.get(observationNumber) ?? null;
  }

  /** Waits until everything is written; rejects if something could not be. */
  flush(): Promise<unknown> {
    return this.#written;
  }

  async #write(
    step: number,
    { call, failure }: ActionReport,
    { number, url, title }: Observation,
    { why, cost, sideEffects, screenshot, mark }: StepDetails,
  ): Promise<void> {
    const marked = mark === null ? null : this.screenshotOf(mark.observationNumber);
    const report: StepReport = {
      step,
      action: call.action,
      input: call.input,
      why,
      outcome: failure === null ? "ok" : "failed",
      message: failure?.message ?? null,
      url: redactUrl(url),
      title,
      side_effects: sideEffects,
      screenshot: null,
      mark: mark === null || marked === null ? null : { screenshot: marked, ...mark.box },
      cost,
    };
    const stored = await this.#options.reporter.step(report, screenshot && toArtifact("step", step, screenshot));
    if (stored.screenshot !== null) this.#screenshotIds.set(number, stored.screenshot);
  }
}

function toArtifact(prefix: string, step: number, { data, contentType }: Screenshot): NewArtifact {
  const extension = contentType.split("/")[1] ?? "bin";
  const name = `${prefix}-${String(step).padStart(3, "0")}.${extension}`;
  return { kind: "screenshot", name, contentType, data };
}

interface StepDetails {
  readonly why: string;
  readonly cost: Cost | null;
  readonly sideEffects: readonly SideEffect[];
  readonly screenshot: Screenshot | null;
  readonly mark: Mark | null;
}

interface Mark {
  readonly observationNumber: number;
  readonly box: Box;
}

/** Where the element of a call was in this observation. Null when it was out of view. */
function findMark({ input: { ref } }: ActionCall, { root, number, viewport }: Observation): Mark | null {
  if (typeof ref !== "string") return null;
  for (const { node } of walk(root)) {
    if (node.ref !== ref || node.box === null) continue;
    const { x, y, width, height } = node.box;
    const isInView = x + width > 0 && y + height > 0 && x < viewport.width && y < viewport.height;
    return isInView ? { observationNumber: number, box: { x, y, width, height } } : null;
  }
  return null;
}

function findTarget({ input: { ref } }: ActionCall, { root, number }: Observation): SeenTarget {
  const position = typeof ref === "string" ? [...walk(root)].findIndex(({ node }) => node.ref === ref) : -1;
  return { observationNumber: number, position: position === -1 ? null : position };
}

interface EvidenceSources {
  readonly session: BrowserSession;
  readonly reporter: Reporter;
  readonly downloads: readonly QuarantinedDownload[];
  /** The last one of the run. */
  readonly observation: Observation;
}

/** Saves the last page as it was read, the requests that were sent, and the downloads. */
export async function saveEvidence({ session, reporter, downloads, observation }: EvidenceSources): Promise<void> {
  const { url, title, root } = observation;
  const page = [`# ${title}`, `# ${url}`, "", ...toLines(root), ""].join("\n");
  await reporter.saveArtifact({
    kind: "page",
    name: "final-page.txt",
    contentType: "text/plain; charset=utf-8",
    data: Buffer.from(page),
  });
  // What was sent may be personal or secret: it does not leave this process.
  const writes = session.writes().map(({ sent: _sent, ...write }) => ({ ...write, url: redactUrl(write.url) }));
  await reporter.saveArtifact({
    kind: "network",
    name: "network-writes.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(writes, null, 2)}\n`),
  });
  for (const { name, path, refusal } of downloads) {
    if (refusal !== null) continue;
    const data = await readFile(path);
    await reporter.saveArtifact({ kind: "download", name, contentType: "application/octet-stream", data });
  }
}

interface ProvenanceSources {
  readonly reporter: Reporter;
  readonly recorder: StepRecorder;
}

/** Saves where each extracted value was on its page, with the screenshot that shows it. */
export async function saveProvenance(extraction: Extraction, { reporter, recorder }: ProvenanceSources): Promise<void> {
  const provenance = toProvenance(extraction, (number) => recorder.screenshotOf(number));
  await reporter.saveArtifact({
    kind: "provenance",
    name: "provenance.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`),
  });
}

/** In the default registry, which /metrics serves. */
const stepCounter = new Counter({
  name: "errand_steps_total",
  help: "Steps of runs in this process, by action and outcome. Unknown actions count as other.",
  labelNames: ["action", "outcome"],
});
const verdictCounter = new Counter({
  name: "errand_verdicts_total",
  help: "Verdicts of the verifier in this process: agreed or refused.",
  labelNames: ["verdict"],
});
for (const verdict of ["agreed", "refused"]) verdictCounter.inc({ verdict }, 0);

function countStep(action: string, outcome: "ok" | "failed"): void {
  stepCounter.inc({ action: ACTIONS.has(action) ? action : "other", outcome });
}

export function countVerdict(agreed: boolean): void {
  verdictCounter.inc({ verdict: agreed ? "agreed" : "refused" });
}
