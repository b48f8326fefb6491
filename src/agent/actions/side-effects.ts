import type { ObservedNode } from "../../browser/observation/observation.ts";
import type { FieldPlace } from "../../browser/observation/twin-fields.ts";
import { isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import { redactUrl } from "../safe-text.ts";
import type { ActionCall, ActionReport, EffectClass } from "./action.ts";

/** One change, or possible change, that the run made outside the browser: an item of `side_effects` on the wire. */
export interface SideEffect {
  readonly [key: string]: unknown;
  readonly type: "request" | "form_submission" | "websocket" | "upload" | "download" | "dialog";
  readonly method: string | null;
  /** Without the values of the query. */
  readonly url: string;
  readonly status: number | null;
  /** The step that caused it, and what that step did. */
  readonly step: number;
  readonly cause: string;
  readonly first_party: boolean;
  readonly at: string;
  /** What it did, in words; absent for requests that belong to no commit. */
  readonly description?: string;
}

/** One step as the ledger records it: a possible cause of side effects. */
export interface StepCause {
  readonly step: number;
  readonly cause: string;
  /** With secrets masked. */
  readonly call: ActionCall;
  /** Where the field of the call stood, among others of its label. */
  readonly place?: FieldPlace | null;
  readonly hasFailed: boolean;
  readonly effect: EffectClass;
  /** The page it was performed on. */
  readonly url: string;
  /** What the run saw when it was performed; null when it had seen nothing yet. */
  readonly seen: SeenTarget | null;
  readonly at: Date;
  /** The page after a step that sent something; null for other steps. */
  readonly after: ObservedNode | null;
}

export interface SeenTarget {
  readonly observationNumber: number;
  /** The place of the target among the nodes of the page; null when the step has none. */
  readonly position: number | null;
}

/** A write and the step that caused it; null when it came before the first step. */
export interface AttributedWrite {
  readonly write: NetworkRecord;
  readonly cause: StepCause | null;
}

/** Every side effect of a run. Append-only. */
export class SideEffectLedger {
  readonly #steps: StepCause[] = [];
  readonly #causeOfWrite = new Map<number, StepCause>();
  readonly #others: SideEffect[] = [];
  /** Numbers of writes from before the first step. */
  readonly #earlier = new Set<number>();
  /** What was agreed to as a change, although its method should only read: a link that deletes. */
  readonly #agreedReads: NetworkRecord[] = [];
  /** What a request did that was agreed to, in words; null for others. */
  describe: (write: NetworkRecord) => string | null = () => null;
  /** Whether a write was recognised as a search or the like before it was sent. */
  isLookup: (write: NetworkRecord) => boolean = () => false;

  get steps(): readonly StepCause[] {
    return this.#steps;
  }

  /** Records a step and returns its side effects as far as they are known by now. */
  record(cause: StepCause, report: ActionReport): SideEffect[] {
    this.#steps.push(cause);
    const reads = report.events.requests.filter((each) => this.#isAgreedRead(each));
    this.#agreedReads.push(...reads);
    const writes = report.events.requests.filter((each) => isSideEffect(each) || reads.includes(each));
    for (const { number } of writes) this.#causeOfWrite.set(number, cause);
    const others = [...uploads(cause, report), ...downloads(cause, report), ...dialogs(cause, report)];
    this.#others.push(...others);
    return [...writes.map((write) => this.#fromWrite(write, cause)), ...others];
  }

  /** Marks what pages sent before the first step, or while a person used them: it is listed, but not attributed to the run. */
  excludeEarlier(writes: readonly NetworkRecord[]): void {
    for (const { number } of writes) this.#earlier.add(number);
  }

  /**
   * Every write of the run with its cause. A write between two steps belongs to the first of them. What is named as a read
   * is listed as a side effect, because the name is only the site's word, but it is no change that a task asks for.
   */
  attribute(writes: readonly NetworkRecord[]): AttributedWrite[] {
    const own = this.#own(writes).filter((write) => !write.isNamedAsRead && !this.isLookup(write));
    return this.#withCauses(own);
  }

  #own(writes: readonly NetworkRecord[]): NetworkRecord[] {
    const own = writes.filter((write) => isSideEffect(write) && !this.#earlier.has(write.number));
    return [...own, ...this.#agreedReads].sort((a, b) => a.number - b.number);
  }

  #isAgreedRead(record: NetworkRecord): boolean {
    const isKnown = () => this.#agreedReads.some(({ number }) => number === record.number);
    return !isWrite(record) && record.blockedBy === null && this.describe(record) !== null && !isKnown();
  }

  #withCauses(own: readonly NetworkRecord[]): AttributedWrite[] {
    return own.map((write) => ({
      write,
      cause: this.#causeOfWrite.get(write.number) ?? this.#steps.findLast(({ at }) => at <= write.startedAt) ?? null,
    }));
  }

  #fromWrite(write: NetworkRecord, cause: StepCause | null): SideEffect {
    const description = this.describe(write);
    return { ...fromWrite(write, cause), ...(description === null ? {} : { description }) };
  }

  list(writes: readonly NetworkRecord[]): SideEffect[] {
    const earlier = writes.filter((write) => isSideEffect(write) && this.#earlier.has(write.number));
    const requests = this.#withCauses(this.#own(writes))
      .map(({ write, cause }) => this.#fromWrite(write, cause))
      .filter(isFirstOfSocket);
    return [
      ...earlier.map((write) => fromWrite(write, this.#causeOfWrite.get(write.number) ?? null)),
      ...requests,
      ...this.#others,
    ].sort((a, b) => a.at.localeCompare(b.at));
  }
}

/** A request that was blocked has changed nothing. */
function isSideEffect(record: NetworkRecord): boolean {
  return isWrite(record) && record.blockedBy === null;
}

function fromWrite(write: NetworkRecord, cause: StepCause | null): SideEffect {
  return {
    type: write.resourceType === "websocket" ? "websocket" : write.isNavigation ? "form_submission" : "request",
    method: write.method,
    url: redactUrl(write.url),
    status: write.status,
    step: cause?.step ?? 0,
    cause: cause?.cause ?? "the page itself",
    first_party: write.isFirstParty,
    at: write.startedAt.toISOString(),
  };
}

/** One entry for all messages over a WebSocket in one step. */
function isFirstOfSocket({ type, url, step }: SideEffect, index: number, all: readonly SideEffect[]): boolean {
  const isSame = (other: SideEffect) => other.type === "websocket" && other.url === url && other.step === step;
  return type !== "websocket" || all.findIndex(isSame) === index;
}

function uploads({ step, cause, at }: StepCause, { call, failure, urlBefore }: ActionReport): SideEffect[] {
  if (call.action !== "upload" || failure !== null) return [];
  const url = redactUrl(urlBefore);
  return [{ type: "upload", method: null, url, status: null, step, cause, first_party: true, at: at.toISOString() }];
}

function downloads({ step, cause, at }: StepCause, { events }: ActionReport): SideEffect[] {
  return events.downloads.map(({ url, name, bytes, refusal }) => ({
    type: "download",
    method: null,
    url: redactUrl(url),
    status: null,
    step,
    cause,
    first_party: true,
    at: at.toISOString(),
    name,
    bytes,
    kept: refusal === null,
  }));
}

function dialogs({ step, cause, at }: StepCause, { events, urlBefore }: ActionReport): SideEffect[] {
  return events.dialogs
    .filter(({ dialog, answer }) => answer === "accepted" && dialog.kind !== "alert")
    .map(({ dialog }) => ({
      type: "dialog",
      method: null,
      url: redactUrl(urlBefore),
      status: null,
      step,
      cause,
      first_party: true,
      at: at.toISOString(),
      message: dialog.message.slice(0, 200),
    }));
}

const BEACON_TYPES: ReadonlySet<string> = new Set(["ping", "beacon", "cspviolationreport"]);

/** Analytics and error reports of the page itself. Many steps send them, and they change nothing. */
export function isBeacon({ resourceType }: NetworkRecord): boolean {
  return BEACON_TYPES.has(resourceType);
}

/**
 * Whether the same call has already sent something to the site: repeated, it might buy or send a second time. The page
 * does not matter, because the same button often is on several.
 */
export function hasSentBefore(call: ActionCall, writes: readonly AttributedWrite[]): boolean {
  return writes.some(({ write, cause }) => {
    if (cause?.effect !== "mutate" || !write.isFirstParty || isBeacon(write)) return false;
    return cause.call.action === call.action && labelOf(cause.call) === labelOf(call);
  });
}

/** A ref is valid for one observation only; the label identifies the target. */
function labelOf({ input }: ActionCall): unknown {
  return input.label ?? input.key ?? input.ref;
}
