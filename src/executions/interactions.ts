import {
  ANSWER_MAX_LENGTH,
  type AnswerInteraction,
  type Interaction,
  type InteractionAction,
  type InteractionAnswer,
  type InteractionAnswerer,
  type InteractionKind,
  type InteractionRequest,
  type InteractionState,
} from "../contract/interaction.ts";
import { CallerError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { type BoxLabel, type KeyRing, openBox, sealBox } from "../lib/sealed-box.ts";
import { isWellFormedSecret, mintSecret } from "../lib/secret-token.ts";
import { codePointLength, isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import { invalidRequest } from "./create-request.ts";
import type { ExecutionUpdates } from "./execution-store.ts";
import { type Executions, waitForUpdate } from "./executions.ts";

/** What people and applications can do with the question of a waiting run. */
export interface Interactions {
  /** What the execution waits for; null when it waits for nothing. */
  findOpen(connectionId: string, executionId: string): Promise<InteractionRecord | null>;
  /** Throws INTERACTION_ENDED when somebody was faster, with what was decided. */
  answer(
    connectionId: string,
    executionId: string,
    answer: AnswerInteraction,
    by: InteractionAnswerer,
  ): Promise<InteractionRecord>;
  /** Also one that has ended, so that its page can say so; null when there is none. */
  findByLink(token: string): Promise<InteractionRecord | null>;
  find(id: string): Promise<InteractionRecord | null>;
  toWire(record: InteractionRecord): Interaction;
}

/** The same for the run that waits. */
export interface RunInteractions {
  /** False when the lease was lost. Repeating the call with the same id changes nothing. */
  open(executionId: string, fence: number, question: NewQuestion): Promise<boolean>;
  /** Waits until it was answered or its time is over. */
  wait(executionId: string, id: string, signal: AbortSignal): Promise<FinalAnswer>;
  /** Nobody needs to answer any more. */
  close(id: string): Promise<void>;
}

interface NewQuestion {
  id: string;
  kind: InteractionKind;
  request: InteractionRequest;
}

type FinalAnswer =
  | { kind: "approved" | "declined" | "expired" }
  | { kind: "handed_back"; by: InteractionAnswerer }
  | { kind: "answered"; text: string };

export interface InteractionRecord {
  id: string;
  executionId: string;
  connectionId: string;
  applicationName: string;
  kind: InteractionKind;
  request: InteractionRequest;
  state: InteractionState;
  /** Open, but its time is over by the database's clock. */
  isOverdue: boolean;
  answer: InteractionAnswer | null;
  answeredBy: InteractionAnswerer | null;
  answerText: SealedText | null;
  link: SealedText;
  createdAt: Date;
  expiresAt: Date;
}

/** Opens only with the master key, and only for its own interaction. */
interface SealedText {
  keyId: string;
  box: Buffer;
}

export interface InteractionStore {
  /** With its event, in one transaction; false when the lease was lost. Changes nothing when it exists already. */
  open(
    executionId: string,
    fence: number,
    question: NewQuestion & { linkHash: Buffer; link: SealedText; lifetimeMs: number },
  ): Promise<boolean>;
  find(id: string): Promise<InteractionRecord | null>;
  findOpen(executionId: string): Promise<InteractionRecord | null>;
  findByLink(linkHash: Buffer): Promise<InteractionRecord | null>;
  /** Of concurrent answers exactly one wins; false for the others, and when it has ended or its time is over. */
  answer(
    id: string,
    answer: { answer: InteractionAnswer; by: InteractionAnswerer; text: SealedText | null },
  ): Promise<boolean>;
  /** Ends an open one. `expired` only if its time is over. */
  end(id: string, state: "expired" | "closed"): Promise<void>;
  /** Deletes the text of the answer. */
  forgetText(id: string): Promise<void>;
}

interface Dependencies {
  store: InteractionStore;
  keyRing: KeyRing;
}

const LINK_PREFIX = "errand_il_";

export function createInteractions({
  store,
  keyRing,
  executions,
  publicUrl,
}: Dependencies & { executions: Pick<Executions, "get">; publicUrl: string }): Interactions {
  const toWire = createInteractionWire({ keyRing, publicUrl });

  async function getOf(executionId: string, id: string): Promise<InteractionRecord> {
    const uuid = parseUuid(id);
    const found = uuid === null ? null : await store.find(uuid);
    if (found?.executionId !== executionId) {
      throw new CallerError("NOT_FOUND", "The execution has asked nothing under this id. Get the interaction again.");
    }
    return found;
  }

  return {
    toWire,
    find: (id) => store.find(id),

    async findOpen(connectionId, executionId) {
      const { id } = await executions.get(connectionId, executionId);
      const open = await store.findOpen(id);
      return open === null || open.isOverdue ? null : open;
    },

    async answer(connectionId, executionId, given, by) {
      const execution = await executions.get(connectionId, executionId);
      const asked = await getOf(execution.id, given.id);
      if (asked.state !== "open" || asked.isOverdue) throw hasEnded(asked);
      const { answer, text } = checkAnswer(asked, given);
      const sealed = text === null ? null : sealText(keyRing, text, answerLabel(asked.id));
      const hasWon = await store.answer(asked.id, { answer, by, text: sealed });
      const now = await getOf(execution.id, asked.id);
      if (!hasWon) throw hasEnded(now);
      return now;
    },

    findByLink: async (token) => (isWellFormedSecret(LINK_PREFIX, token) ? store.findByLink(sha256(token)) : null),
  };
}

/** A record as the API shows it, with its link while it can be answered. */
export function createInteractionWire({ keyRing, publicUrl }: { keyRing: KeyRing; publicUrl: string }) {
  return (record: InteractionRecord): Interaction => {
    const isOpen = record.state === "open" && !record.isOverdue;
    return {
      id: record.id,
      kind: record.kind,
      state: record.isOverdue ? "expired" : record.state,
      ...record.request,
      answer: record.answer,
      answered_by: record.answeredBy,
      link: isOpen ? `${publicUrl}/i/${openText(keyRing, record.link, linkLabel(record.id))}` : null,
      created_at: record.createdAt.toISOString(),
      expires_at: record.expiresAt.toISOString(),
    };
  };
}

// Notifications can be lost, so waiting also polls.
const POLL_MS = 2_000;

export function createRunInteractions({
  store,
  keyRing,
  updates,
  lifetimeMs,
}: Dependencies & { updates: ExecutionUpdates; lifetimeMs: number }): RunInteractions {
  async function readAnswer(asked: InteractionRecord): Promise<FinalAnswer | null> {
    if (asked.state === "expired") return { kind: "expired" };
    if (asked.answer === "answered") return { kind: "answered", text: await takeText(asked) };
    if (asked.answer === "handed_back") return { kind: "handed_back", by: asked.answeredBy ?? "link" };
    return asked.answer === null ? null : { kind: asked.answer };
  }

  /** The text is deleted as soon as the run has it. If that fails, the end of the execution deletes it. */
  async function takeText({ id, answerText }: InteractionRecord): Promise<string> {
    if (answerText === null) throw new Error("The text of an answer is missing");
    const text = openText(keyRing, answerText, answerLabel(id));
    await store.forgetText(id).catch(() => {});
    return text;
  }

  return {
    open(executionId, fence, question) {
      const token = mintSecret(LINK_PREFIX);
      const link = sealText(keyRing, token, linkLabel(question.id));
      return store.open(executionId, fence, { ...question, linkHash: sha256(token), link, lifetimeMs });
    },

    async wait(executionId, id, signal) {
      for (;;) {
        // Subscribe before reading, so that no update is missed in between.
        using update = waitForUpdate(updates, executionId, POLL_MS, signal);
        signal.throwIfAborted();
        const asked = await store.find(id);
        const answer = asked && (await readAnswer(asked));
        if (answer !== null) return answer;
        // When only the end of the execution has closed it, the run has lost its lease and is about to be stopped.
        if (asked?.isOverdue) await store.end(id, "expired");
        else await update.arrived;
      }
    },

    close: (id) => store.end(id, "closed"),
  };
}

const ANSWERS: Record<InteractionKind, Partial<Record<InteractionAction, InteractionAnswer>>> = {
  approval: { approve: "approved", decline: "declined" },
  question: { answer: "answered", decline: "declined" },
  takeover: { hand_back: "handed_back", decline: "declined" },
};

/** Checks what the body's JSON Schema cannot express. */
function checkAnswer({ kind, request }: InteractionRecord, { action, text }: AnswerInteraction) {
  const answer = ANSWERS[kind][action];
  if (answer === undefined) {
    const possible = Object.keys(ANSWERS[kind]).join(" or ");
    throw invalidRequest([{ path: "action", message: `must be ${possible} for this ${kind}` }]);
  }
  if (answer !== "answered") {
    // A condition that nobody reads must not become a plain approval.
    if (text === undefined) return { answer, text: null };
    throw invalidRequest([{ path: "text", message: `is only possible with answer: ${action} has no conditions` }]);
  }
  const problem = findTextProblem(text ?? "", request.options);
  if (problem !== null) throw invalidRequest([{ path: "text", message: problem }]);
  return { answer, text: text ?? "" };
}

/** Without the text itself: it may be secret. */
function findTextProblem(text: string, options: readonly string[]): string | null {
  if (options.length > 0) return options.includes(text) ? null : "must be one of the options";
  if (text.trim() === "") return "must not be blank";
  if (!isStorableText(text)) return "must not contain NUL characters or lone surrogates";
  return codePointLength(text) > ANSWER_MAX_LENGTH ? `must have at most ${ANSWER_MAX_LENGTH} characters` : null;
}

function hasEnded({ state, answer, answeredBy }: InteractionRecord): CallerError {
  if (state === "closed") {
    return new CallerError("INTERACTION_ENDED", "The execution ended before this was answered. Nothing more happens.");
  }
  const decision =
    state === "answered" && answer !== null && answeredBy !== null
      ? `It was already ${ANSWERED[answer]} ${ANSWERERS[answeredBy]}.`
      : "Nobody answered in time.";
  return new CallerError("INTERACTION_ENDED", `${decision} The decision cannot be changed.`);
}

const ANSWERED: Record<InteractionAnswer, string> = {
  approved: "approved",
  declined: "declined",
  answered: "answered",
  handed_back: "handed back",
};

const ANSWERERS: Record<InteractionAnswerer, string> = {
  application: "by the application",
  link: "by somebody with the link",
  user: "by the user",
  owner: "by the application's owner",
};

function linkLabel(id: string): Omit<BoxLabel, "keyId"> {
  return { purpose: "interaction link", subjectId: id };
}

function answerLabel(id: string): Omit<BoxLabel, "keyId"> {
  return { purpose: "interaction answer", subjectId: id };
}

function sealText(keyRing: KeyRing, text: string, label: Omit<BoxLabel, "keyId">): SealedText {
  const { id, key } = keyRing.current();
  return { keyId: id, box: sealBox(key, Buffer.from(text), { ...label, keyId: id }) };
}

function openText(keyRing: KeyRing, { keyId, box }: SealedText, label: Omit<BoxLabel, "keyId">): string {
  const wrappingKey = keyRing.find(keyId);
  const opened = wrappingKey && openBox(wrappingKey.key, box, { ...label, keyId });
  if (opened?.outcome !== "opened") throw new Error(`An ${label.purpose} cannot be decrypted: check the master keys`);
  return opened.content.toString();
}
