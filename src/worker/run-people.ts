import { randomUUID } from "node:crypto";
import type { Budget, InteractionAnswer, InteractionRequest, People } from "../agent/gate/people.ts";
import { StopReason } from "../agent/loop/errand.ts";
import type { InteractionRequest as StoredRequest } from "../contract/interaction.ts";
import type { RunInteractions } from "../executions/interactions.ts";
import type { Claim } from "../executions/queue.ts";
import { toStorableText } from "../lib/storable.ts";
import type { SharedView } from "./live-view.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Runs the work without counting it against the worker's concurrency. */
export type FreeSlotWhile = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface RunPeopleOptions {
  claim: Claim;
  interactions: RunInteractions;
  /** Whether somebody watches this run who can answer, such as a person at a terminal. */
  isAttended: boolean;
  budget: Budget | null;
  view: Pick<SharedView, "waitUntilWanted" | "waitUntilHandedBack">;
  freeSlotWhile: FreeSlotWhile;
  retry: RetryWhileUnavailable;
  stop(reason: StopReason): void;
}

/** The people behind one run: asks them through the database, one question at a time. */
export function createRunPeople(options: RunPeopleOptions): People {
  const { claim, interactions, view, isAttended, budget, freeSlotWhile, retry, stop } = options;
  const { approval, tellsInteractions, execution, fence } = claim;
  let last: Promise<unknown> = Promise.resolve();

  async function ask(request: InteractionRequest, signal: AbortSignal) {
    // Generated here, so that a retry after a lost response opens the same one.
    const id = randomUUID();
    const question = { id, kind: request.kind, request: toStoredRequest(request) };
    if (!(await retry(() => interactions.open(execution.id, fence, question)))) {
      const reason = new StopReason("lease_lost");
      stop(reason);
      throw reason;
    }
    try {
      return await freeSlotWhile(() => retry(() => interactions.wait(execution.id, id, signal)));
    } catch (error) {
      // Nobody should answer a question that is no longer asked. The end of the execution closes it, too.
      await interactions.close(id).catch(() => {});
      throw error;
    }
  }

  /** Whoever has used the browser and hands it back has answered. */
  async function askToTakeOver(request: InteractionRequest, signal: AbortSignal): Promise<InteractionAnswer> {
    const isAnswered = new AbortController();
    const waiting = AbortSignal.any([signal, isAnswered.signal]);
    const used = (async (): Promise<InteractionAnswer> => {
      await view.waitUntilWanted(waiting);
      return { kind: "handed_back", by: (await view.waitUntilHandedBack(waiting)) ?? "link" };
    })();
    const asked = ask(request, waiting);
    try {
      return await Promise.race([asked, used]);
    } finally {
      isAnswered.abort();
      await Promise.allSettled([asked, used]);
    }
  }

  return {
    approval,
    isReachable: approval === "commits" || tellsInteractions || isAttended,
    budget,
    async ask(request, signal) {
      const answer = last.then(() => {
        signal.throwIfAborted();
        return request.kind === "takeover" ? askToTakeOver(request, signal) : ask(request, signal);
      });
      last = answer.catch(() => {});
      return answer;
    },
  };
}

const TEXT_MAX_LENGTH = 500;
/** Of a value that will be sent: a person must see what they approve. */
const VALUE_MAX_LENGTH = 2_100;
const MAX_ITEMS = 100;

/** Bounded, because pages contain anything. */
function toStoredRequest(request: InteractionRequest): StoredRequest {
  const { amount, recipient, picture } = request;
  return {
    message: shorten(request.message),
    url: shorten(request.url),
    amount: amount !== null && Number.isFinite(amount.value) ? { ...amount, currency: shorten(amount.currency) } : null,
    recipient: recipient === null ? null : shorten(recipient),
    items: request.items.slice(0, MAX_ITEMS).map((item) => shorten(item)),
    values: request.values
      .slice(0, MAX_ITEMS)
      .map(({ name, value }) => ({ name: shorten(name), value: shorten(value, VALUE_MAX_LENGTH) })),
    // Not shortened: the answer is one of these.
    options: request.options.slice(0, MAX_ITEMS).map(toStorableText),
    is_secret: request.isSecret,
    picture: picture === null ? null : { artifact_id: picture.artifactId, mark: picture.mark },
  };
}

function shorten(text: string, max = TEXT_MAX_LENGTH): string {
  const storable = toStorableText(text);
  return storable.length <= max ? storable : `${storable.slice(0, max).toWellFormed()}…`;
}
