import { isBlocked, isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import { redactUrl } from "../safe-text.ts";
import type { ActionCall, ActionReport, EffectClass } from "./action.ts";

/** One thing that the run changed, or may have changed, outside itself. */
export interface SideEffect {
  readonly [key: string]: unknown;
  readonly type: "request" | "form_submission" | "websocket" | "upload" | "download" | "dialog";
  readonly method: string | null;
  /** Without the values of its query. */
  readonly url: string;
  readonly status: number | null;
  /** The step it belongs to, and what that step did. */
  readonly step: number;
  readonly cause: string;
  readonly first_party: boolean;
  readonly at: string;
}

/** One step as the ledger remembers it: what may have caused a side effect. */
export interface StepCause {
  readonly step: number;
  readonly cause: string;
  /** As it may be shown: without secrets. */
  readonly call: ActionCall;
  readonly hasFailed: boolean;
  readonly effect: EffectClass;
  /** The page it was done on. */
  readonly url: string;
  readonly at: Date;
}

/** A write and the step it belongs to; null when it came before the first one. */
export interface AttributedWrite {
  readonly write: NetworkRecord;
  readonly cause: StepCause | null;
}

/** Everything that a run changed, or may have changed, outside itself. It only ever grows. */
export class SideEffectLedger {
  readonly #steps: StepCause[] = [];
  readonly #causeOfWrite = new Map<number, StepCause>();
  readonly #others: SideEffect[] = [];
  /** The numbers of writes that are not the run's own. */
  readonly #before = new Set<number>();

  get steps(): readonly StepCause[] {
    return this.#steps;
  }

  /** Takes down what a step did, and answers what of it is known so far. */
  record(cause: StepCause, report: ActionReport): SideEffect[] {
    this.#steps.push(cause);
    const writes = report.events.requests.filter(isSideEffect);
    for (const { number } of writes) this.#causeOfWrite.set(number, cause);
    const others = [...uploads(cause, report), ...downloads(cause, report), ...dialogs(cause, report)];
    this.#others.push(...others);
    return [...writes.map((write) => fromWrite(write, cause)), ...others];
  }

  /** What pages have sent before the first step: it is told, but nothing that the run answers for. */
  setAside(writes: readonly NetworkRecord[]): void {
    for (const { number } of writes) this.#before.add(number);
  }

  /** Every write of the run with its cause. What arrived between two steps belongs to the one before it. */
  attribute(writes: readonly NetworkRecord[]): AttributedWrite[] {
    const own = writes.filter((write) => isSideEffect(write) && !this.#before.has(write.number));
    return own.map((write) => ({
      write,
      cause: this.#causeOfWrite.get(write.number) ?? this.#steps.findLast(({ at }) => at <= write.startedAt) ?? null,
    }));
  }

  list(writes: readonly NetworkRecord[]): SideEffect[] {
    const before = writes.filter((write) => isSideEffect(write) && this.#before.has(write.number));
    const requests = this.attribute(writes).map(({ write, cause }) => fromWrite(write, cause));
    return [...before.map((write) => fromWrite(write, null)), ...requests, ...this.#others].sort((a, b) =>
      a.at.localeCompare(b.at),
    );
  }
}

/** What never left the browser has changed nothing. */
function isSideEffect(record: NetworkRecord): boolean {
  return isWrite(record) && !isBlocked(record);
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

/** A page's own reports are sent by many a step, and change nothing. */
const BEACON_TYPES: ReadonlySet<string> = new Set(["ping", "beacon", "cspviolationreport"]);

/**
 * Whether a call is one that has sent something to the site before: done again, it might buy or send a second time. On
 * whatever page, since the same button often stands on several.
 */
export function hasSentBefore(call: ActionCall, writes: readonly AttributedWrite[]): boolean {
  return writes.some(({ write, cause }) => {
    if (cause?.effect !== "mutate" || !write.isFirstParty || BEACON_TYPES.has(write.resourceType)) return false;
    return cause.call.action === call.action && labelOf(cause.call) === labelOf(call);
  });
}

/** A ref is only good for one observation: the label says what is meant. */
function labelOf({ input }: ActionCall): unknown {
  return input.label ?? input.keys ?? input.ref;
}
