import type { Observation } from "../browser/observation/observation.ts";
import type { BrowserSession, QuarantinedDownload } from "../browser/session/browser-session.ts";
import type { Clock } from "../lib/clock.ts";
import type { EffectClass } from "./actions/action.ts";
import type { ActionReport } from "./actions/action-report.ts";
import { countStep } from "./agent-metrics.ts";
import { type Cost, toCost } from "./cost.ts";
import type { CostMeter } from "./cost-meter.ts";
import { describeCall } from "./describe-call.ts";
import type { Reporter } from "./errand.ts";
import { redactUrl } from "./redact-url.ts";
import type { SideEffectLedger } from "./side-effects.ts";

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
