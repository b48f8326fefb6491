import { randomUUID } from "node:crypto";
import type { LiveRunPage, RunInput } from "../contract/live-run.ts";
import { type KeyRing, openBox, sealBox } from "../lib/sealed-box.ts";
import { type ExecutionRecord, isTerminal } from "./execution.ts";
import type { ExecutionUpdates } from "./execution-store.ts";
import type { LiveController, LiveLinkSubject } from "./live-link.ts";

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
  /**
   * Takes control of the browser, or keeps it, for `lifetimeMs`, and notifies the run. False when somebody else has it or
   * when the execution is not running.
   */
  takeControl(executionId: string, holderId: string, by: LiveController, lifetimeMs: number): Promise<boolean>;
  releaseControl(executionId: string, holderId: string): Promise<void>;
  /** Stores input for the run. Dropped unless the run has paused for this holder. */
  addInput(executionId: string, holderId: string, input: SealedPart): Promise<void>;
  /** Who has control; null when nobody has. */
  findControl(executionId: string): Promise<{ isHeld: boolean; by: LiveController } | null>;
  /** The run has paused for the person in control, and the viewers are told. False when nobody is in control any more. */
  holdControl(executionId: string, fence: number): Promise<boolean>;
  /** Removes and returns what was entered, oldest first. */
  takeInputs(executionId: string): Promise<SealedPart[]>;
  /** Whose execution it is; null when it does not exist. */
  findSubject(executionId: string): Promise<LiveLinkSubject | null>;
}

interface LiveState {
  status: ExecutionRecord["status"];
  picture: SealedPicture | null;
  control: LiveControl | null;
  /** Whether the run waits for an approval or an answer. It cannot be taken over meanwhile. */
  isAsking: boolean;
}

/** Who has taken over. */
export interface LiveControl {
  holderId: string;
  /** Whether the run has paused. */
  isHeld: boolean;
}

/** Topics of the notifications about one execution. */
export const LIVE_TOPICS = {
  /** For the run: somebody has begun or ceased to watch. */
  viewers: (executionId: string) => `live-viewers ${executionId}`,
  /** For the run: somebody has taken over, or handed back. */
  control: (executionId: string) => `live-control ${executionId}`,
  /** For the run: the person in control has entered something. */
  inputs: (executionId: string) => `live-inputs ${executionId}`,
  /** For the viewers: there is another picture. */
  pictures: (executionId: string) => `live-pictures ${executionId}`,
};

/** A viewer of a run. The callbacks must not throw. */
interface LiveViewer {
  onPicture(picture: LivePicture): void;
  /** Null: the run uses the browser itself. */
  onControl(control: LiveControl | null, isAsking: boolean): void;
  /** The execution has ended, or was deleted. Nothing follows. */
  onEnd(): void;
}

export interface LiveViews {
  /** Shows the execution from the moment it runs until it ends, or until disposed. */
  watch(executionId: string, viewer: LiveViewer): Disposable;
  takeControl(executionId: string, holderId: string, by: LiveController): Promise<boolean>;
  releaseControl(executionId: string, holderId: string): Promise<void>;
  /** Dropped unless the run has paused for this holder. */
  enter(executionId: string, holderId: string, inputs: readonly RunInput[]): Promise<void>;
}

interface LiveViewsOptions {
  store: LiveViewStore;
  updates: ExecutionUpdates;
  sealer: LiveSealer;
  onError(error: unknown): void;
}

/** How long a run is captured at most for a process that has died. */
const VIEWER_LIFETIME_MS = 12_000;
const HEARTBEAT_MS = 4_000;
/** A person whose connection drops, or who looks for a code on their phone, has this long to come back. */
const CONTROL_LIFETIME_MS = 60_000;

/** However many watch an execution in this process, it is read once. */
export function createLiveViews(options: LiveViewsOptions): LiveViews {
  const { store, sealer } = options;
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

    takeControl: (executionId, holderId, by) => store.takeControl(executionId, holderId, by, CONTROL_LIFETIME_MS),
    releaseControl: (executionId, holderId) => store.releaseControl(executionId, holderId),
    enter: (executionId, holderId, inputs) =>
      store.addInput(executionId, holderId, sealer.sealInputs(executionId, inputs)),
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
  #control: LiveControl | null = null;
  #isAsking = false;
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
    viewer.onControl(this.#control, this.#isAsking);
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
    const { control, isAsking } = state;
    if (isAsking !== this.#isAsking || JSON.stringify(control) !== JSON.stringify(this.#control)) {
      this.#control = control;
      this.#isAsking = isAsking;
      for (const { onControl } of this.#viewers) onControl(control, isAsking);
    }
    if (state.picture === null) return;
    this.#number = state.picture.number;
    const picture = this.#options.sealer.openPicture(this.#id, state.picture);
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
export interface LiveSealer {
  sealPicture(executionId: string, picture: LivePicture): SealedPart;
  /** Null when it cannot be decrypted: the other process has another master key. */
  openPicture(executionId: string, sealed: SealedPart): LivePicture | null;
  sealInputs(executionId: string, inputs: readonly RunInput[]): SealedPart;
  /** Empty when they cannot be decrypted. */
  openInputs(executionId: string, sealed: SealedPart): RunInput[];
}

const PICTURE = "live picture";
const INPUT = "live input";
const HEAD_LENGTH_BYTES = 4;

export function createLiveSealer(keyRing: KeyRing): LiveSealer {
  function seal(content: Buffer, purpose: string, executionId: string): SealedPart {
    const { id, key } = keyRing.current();
    return { keyId: id, box: sealBox(key, content, { purpose, keyId: id, subjectId: executionId }) };
  }

  function open({ keyId, box }: SealedPart, purpose: string, executionId: string): Buffer | null {
    const wrappingKey = keyRing.find(keyId);
    const opened = wrappingKey && openBox(wrappingKey.key, box, { purpose, keyId, subjectId: executionId });
    return opened?.outcome === "opened" ? opened.content : null;
  }

  return {
    sealInputs: (executionId, inputs) => seal(Buffer.from(JSON.stringify(inputs)), INPUT, executionId),

    openInputs(executionId, sealed) {
      const content = open(sealed, INPUT, executionId);
      // What was sealed was validated before.
      return content === null ? [] : (JSON.parse(content.toString()) as RunInput[]);
    },

    sealPicture(executionId, { jpeg, ...head }) {
      const json = Buffer.from(JSON.stringify(head));
      const length = Buffer.alloc(HEAD_LENGTH_BYTES);
      length.writeUInt32BE(json.length);
      return seal(Buffer.concat([length, json, jpeg]), PICTURE, executionId);
    },

    openPicture(executionId, sealed) {
      const content = open(sealed, PICTURE, executionId);
      if (content === null) return null;
      const headEnd = HEAD_LENGTH_BYTES + content.readUInt32BE();
      const head = JSON.parse(content.toString("utf8", HEAD_LENGTH_BYTES, headEnd)) as Omit<LivePicture, "jpeg">;
      return { ...head, jpeg: content.subarray(headEnd) };
    },
  };
}
