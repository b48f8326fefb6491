import { readFile } from "node:fs/promises";
import { Counter } from "prom-client";
import type { Observation } from "../../browser/observation/observation.ts";
import { toLines } from "../../browser/observation/observation-text.ts";
import type { BrowserSession, QuarantinedDownload } from "../../browser/session/browser-session.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Cost, type CostMeter, toCost } from "../../models/usage.ts";
import type { ActionReport, EffectClass } from "../actions/action.ts";
import { ACTIONS } from "../actions/catalogue.ts";
import { describeCall } from "../actions/public-call.ts";
import type { SideEffectLedger } from "../actions/side-effects.ts";
import { toProvenance } from "../extraction/provenance.ts";
import type { CapturedPages } from "../grounding/captured-pages.ts";
import type { Extraction } from "../grounding/claim.ts";
import { redactUrl } from "../safe-text.ts";
import type { Reporter } from "./errand.ts";

interface StepRecorderOptions {
  readonly session: BrowserSession;
  readonly ledger: SideEffectLedger;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly meter: CostMeter;
  readonly effectOf: (action: string) => EffectClass;
}

/** Takes down each step: its side effects, a picture, and an event for whoever follows. */
export class StepRecorder {
  readonly #options: StepRecorderOptions;
  #written: Promise<unknown> = Promise.resolve();
  #picture: ReturnType<BrowserSession["screenshot"]> | null = null;
  #count = 0;
  readonly downloads: QuarantinedDownload[] = [];
  readonly #pictures = new Map<number, string>();

  constructor(options: StepRecorderOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes the picture of the step that has just come to rest, beside whoever else looks at the page. */
  takePicture(): void {
    this.#picture = this.#options.session.screenshot();
    // Whoever records the step hears of a failure.
    this.#picture.catch(() => {});
  }

  /** Waits for the picture; writing everything down goes on beside the next step, in order. */
  async record(report: ActionReport, observation: Observation, why: string, startedAt: Date): Promise<void> {
    const { session, ledger, meter, effectOf } = this.#options;
    const step = ++this.#count;
    const cost = toCost(meter.take());
    const { call, urlBefore, failure } = report;
    const effect = effectOf(call.action);
    const hasFailed = failure !== null;
    countStep(call.action, hasFailed ? "failed" : "ok");
    const cause = { step, cause: describeCall(call), call, hasFailed, effect, url: urlBefore, at: startedAt };
    const sideEffects = ledger.record(cause, report);
    this.downloads.push(...report.events.downloads);
    const picture = await (this.#picture ?? session.screenshot());
    this.#picture = null;
    const earlier = this.#written;
    this.#written = (async () => {
      await earlier;
      await this.#write(step, report, observation, { why, cost, side_effects: sideEffects }, picture);
    })();
    // Whoever awaits `flush` hears of a failure; until then it must not count as unhandled.
    this.#written.catch(() => {});
  }

  /** The id of the picture that was taken with this look; null when none was. */
  pictureOf(look: number): string | null {
    return this.#pictures.get(look) ?? null;
  }

  /** Waits until everything is written, and fails if something could not be. */
  flush(): Promise<unknown> {
    return this.#written;
  }

  async #write(
    step: number,
    { call, failure }: ActionReport,
    { number, url, title }: Observation,
    more: { why: string; cost: Cost | null; side_effects: ReturnType<SideEffectLedger["record"]> },
    picture: Awaited<ReturnType<BrowserSession["screenshot"]>>,
  ): Promise<void> {
    const { reporter } = this.#options;
    const screenshot = picture === null ? null : await this.#keepPicture(step, picture);
    if (screenshot !== null) this.#pictures.set(number, screenshot);
    await reporter.step({
      step,
      action: call.action,
      input: call.input,
      why: more.why,
      outcome: failure === null ? "ok" : "failed",
      message: failure?.message ?? null,
      url: redactUrl(url),
      title,
      side_effects: more.side_effects,
      screenshot,
      cost: more.cost,
    });
  }

  async #keepPicture(
    step: number,
    { data, contentType }: { data: Buffer; contentType: string },
  ): Promise<string | null> {
    const extension = contentType.split("/")[1] ?? "bin";
    const name = `step-${String(step).padStart(3, "0")}.${extension}`;
    return (await this.#options.reporter.keep({ kind: "screenshot", name, contentType, data })).id;
  }
}

interface EvidenceSources {
  readonly session: BrowserSession;
  readonly reporter: Reporter;
  readonly downloads: readonly QuarantinedDownload[];
  /** The last one of the run. */
  readonly observation: Observation;
}

interface ProvenanceSources {
  readonly reporter: Reporter;
  readonly recorder: StepRecorder;
  readonly captured: CapturedPages;
}

/** Where each extracted value stood, with the picture that shows it. */
export async function keepProvenance(
  extraction: Extraction,
  { reporter, recorder, captured }: ProvenanceSources,
): Promise<void> {
  const provenance = toProvenance(extraction, (look) => recorder.pictureOf(look), captured.list());
  await reporter.keep({
    kind: "provenance",
    name: "provenance.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`),
  });
}

/** Keeps what the run leaves to look at: the last page as it was read, what was sent, what was downloaded. */
export async function keepEvidence({ session, reporter, downloads, observation }: EvidenceSources): Promise<void> {
  const { url, title, root } = observation;
  const page = [`# ${title}`, `# ${url}`, "", ...toLines(root), ""].join("\n");
  await reporter.keep({
    kind: "page",
    name: "final-page.txt",
    contentType: "text/plain; charset=utf-8",
    data: Buffer.from(page),
  });
  const writes = session.writes().map((write) => ({ ...write, url: redactUrl(write.url) }));
  await reporter.keep({
    kind: "network",
    name: "network-writes.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(writes, null, 2)}\n`),
  });
  for (const { name, path, refusal } of downloads) {
    if (refusal !== null) continue;
    const data = await readFile(path);
    await reporter.keep({ kind: "download", name, contentType: "application/octet-stream", data });
  }
}

/** In the registry of the process, where /metrics finds them. */
const stepCounter = new Counter({
  name: "errand_steps_total",
  help: "Steps of runs in this process, by action and outcome; what is no action counts as other.",
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
