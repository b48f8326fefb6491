import { randomUUID } from "node:crypto";
import type { LiveRunPage } from "../contract/live-run.ts";
import { type KeyRing, openBox, sealBox } from "../lib/sealed-box.ts";
import { type ExecutionRecord, isTerminal } from "./execution.ts";
import type { ExecutionUpdates } from "./execution-store.ts";
import type { LiveLinkSubject } from "./live-link.ts";

/** What the browser of a run shows. */
export interface LivePicture {
  readonly page: LiveRunPage;
  /** Size of the viewport in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly jpeg: Buffer;
}

/** Only the master key opens it. */
export interface SealedPart {
  readonly keyId: string;
  readonly box: Buffer;
}

export interface SealedPicture extends SealedPart {
  /** Differs from the one before. */
  readonly number: number;
}

/** Everything in it lasts for seconds, and is gone when the run has ended. */
export interface LiveViewStore {
  /** Registers the viewer until `lifetimeMs` have passed, and notifies the run. Does nothing unless it is running. */
  watch(executionId: string, viewerId: string, lifetimeMs: number): Promise<void>;
  unwatch(executionId: string, viewerId: string): Promise<void>;
  isWatched(executionId: string): Promise<boolean>;
  /** Replaces the picture and notifies the viewers. False when nobody watches, or when the lease was lost. */
  show(executionId: string, fence: number, picture: SealedPicture): Promise<boolean>;
  /** Null when there is no such execution. The picture is null when there is none, or when its number is `known`. */
  read(executionId: string, known: number | null): Promise<LiveState | null>;
  /** Whose execution it is; null when it does not exist. */
  findSubject(executionId: string): Promise<LiveLinkSubject | null>;
}

interface LiveState {
  status: ExecutionRecord["status"];
  picture: SealedPicture | null;
}

/** Topics of the notifications about one execution. */
export const LIVE_TOPICS = {
  /** For the run: somebody has begun or ceased to watch. */
  viewers: (executionId: string) => `live-viewers ${executionId}`,
  /** For the viewers: there is another picture. */
  pictures: (executionId: string) => `live-pictures ${executionId}`,
};

/** A viewer of a run. The callbacks must not throw. */
export interface LiveViewer {
  onPicture(picture: LivePicture): void;
  /** The execution has ended, or was deleted. Nothing follows. */
  onEnd(): void;
}

export interface LiveViews {
  /** Shows the execution from the moment it runs until it ends, or until disposed. */
  watch(executionId: string, viewer: LiveViewer): Disposable;
}

interface LiveViewsOptions {
  store: LiveViewStore;
  updates: ExecutionUpdates;
  sealer: PictureSealer;
  onError(error: unknown): void;
}

/** How long a run is captured at most for a process that has died. */
const VIEWER_LIFETIME_MS = 12_000;
const HEARTBEAT_MS = 4_000;

/** However many watch an execution in this process, it is read once. */
export function createLiveViews(options: LiveViewsOptions): LiveViews {
  const watched = new Map<string, WatchedExecution>();
  return {
    watch(executionId, viewer) {
      let execution = watched.get(executionId);
      if (execution === undefined) {
        execution = new WatchedExecution(executionId, options, () => watched.delete(executionId));
        watched.set(executionId, execution);
      }
      return execution.add(viewer);
    },
  };
}

class WatchedExecution {
  readonly #id: string;
  readonly #options: LiveViewsOptions;
  readonly #onOver: () => void;
  readonly #viewerId = randomUUID();
  readonly #viewers = new Set<LiveViewer>();
  readonly #subscriptions: Disposable[];
  readonly #heartbeat: NodeJS.Timeout;
  #number: number | null = null;
  #newest: LivePicture | null = null;
  #isReading = false;
  #mustReadAgain = false;
  #isOver = false;

  constructor(id: string, options: LiveViewsOptions, onOver: () => void) {
    this.#id = id;
    this.#options = options;
    this.#onOver = onOver;
    const read = () => void this.#read();
    // The second tells when the execution starts and ends.
    this.#subscriptions = [LIVE_TOPICS.pictures(id), id].map((topic) => options.updates.subscribe(topic, read));
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    void this.#beat();
  }

  add(viewer: LiveViewer): Disposable {
    this.#viewers.add(viewer);
    if (this.#newest !== null) viewer.onPicture(this.#newest);
    return {
      [Symbol.dispose]: () => {
        if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#end();
      },
    };
  }

  /** Notifications can be lost, so every heartbeat reads, too. */
  async #beat(): Promise<void> {
    await this.#options.store.watch(this.#id, this.#viewerId, VIEWER_LIFETIME_MS).catch(this.#options.onError);
    // The last viewer may have left meanwhile.
    if (this.#isOver) await this.#unwatch();
    else await this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isOver) {
      this.#mustReadAgain = true;
      return;
    }
    this.#isReading = true;
    do {
      this.#mustReadAgain = false;
      await this.#readOnce().catch(this.#options.onError);
    } while (this.#mustReadAgain && !this.#isOver);
    this.#isReading = false;
  }

  async #readOnce(): Promise<void> {
    const state = await this.#options.store.read(this.#id, this.#number);
    if (this.#isOver) return;
    if (state === null || isTerminal(state.status)) {
      for (const { onEnd } of this.#viewers) onEnd();
      this.#end();
      return;
    }
    if (state.picture === null) return;
    this.#number = state.picture.number;
    const picture = this.#options.sealer.open(this.#id, state.picture);
    if (picture === null) return;
    this.#newest = picture;
    for (const { onPicture } of this.#viewers) onPicture(picture);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#onOver();
    void this.#unwatch();
  }

  /** If it fails, the viewer expires. */
  async #unwatch(): Promise<void> {
    await this.#options.store.unwatch(this.#id, this.#viewerId).catch(this.#options.onError);
  }
}

/** Seals what travels through the database between a run and its viewers. */
export interface PictureSealer {
  seal(executionId: string, picture: LivePicture): SealedPart;
  /** Null when it cannot be decrypted: the other process has another master key. */
  open(executionId: string, sealed: SealedPart): LivePicture | null;
}

const HEAD_LENGTH_BYTES = 4;

export function createPictureSealer(keyRing: KeyRing): PictureSealer {
  return {
    seal(executionId, { jpeg, ...head }) {
      const json = Buffer.from(JSON.stringify(head));
      const length = Buffer.alloc(HEAD_LENGTH_BYTES);
      length.writeUInt32BE(json.length);
      const { id, key } = keyRing.current();
      return { keyId: id, box: sealBox(key, Buffer.concat([length, json, jpeg]), pictureLabel(id, executionId)) };
    },

    open(executionId, { keyId, box }) {
      const wrappingKey = keyRing.find(keyId);
      const opened = wrappingKey && openBox(wrappingKey.key, box, pictureLabel(keyId, executionId));
      if (opened?.outcome !== "opened") return null;
      const { content } = opened;
      const headEnd = HEAD_LENGTH_BYTES + content.readUInt32BE();
      const head = JSON.parse(content.toString("utf8", HEAD_LENGTH_BYTES, headEnd)) as Omit<LivePicture, "jpeg">;
      return { ...head, jpeg: content.subarray(headEnd) };
    },
  };
}

function pictureLabel(keyId: string, executionId: string) {
  return { purpose: "live picture", keyId, subjectId: executionId };
}
