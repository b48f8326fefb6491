// @ts-check
/** @import { RunServiceMessage, RunViewerMessage } from "../../../contract/live-run.ts" */
/** @import { ServiceMessage, ViewerMessage } from "../../../contract/live-view.ts" */

/**
 * @template {ServiceMessage | RunServiceMessage} Message
 * @typedef {object} ConnectionOptions
 * @property {string} path Path of the socket.
 * @property {string} ticket
 * @property {() => void} onOpen
 * @property {(message: Message) => void} onMessage
 * @property {(frame: ArrayBuffer) => void} onFrame
 * @property {() => void} onDropped The connection was lost and is being retried.
 * @property {(why: "replaced" | "rejected" | "unreachable") => void} onEnd Retrying has stopped.
 */

const REPLACED = 4001;
const RETRY_MS = [300, 1_000, 2_000, 3_000, 5_000];
const GIVE_UP_MS = 60_000;

/**
 * The WebSocket. It reconnects by itself, with the ticket that the service sent for that.
 * @template {ServiceMessage | RunServiceMessage} Message
 */
export class Connection {
  #options;
  #ticket;
  /** @type {WebSocket | null} */
  #socket = null;
  #isOver = false;
  #isPaused = false;
  #attempts = 0;
  /** When the connection was lost. Null while it is open. @type {number | null} */
  #droppedAt = null;

  /** @param {ConnectionOptions<Message>} options */
  constructor(options) {
    this.#options = options;
    this.#ticket = options.ticket;
    this.#open();
  }

  /** Messages are not queued: input that cannot be sent now would be wrong later. @param {ViewerMessage | RunViewerMessage} message */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** The live view is over: do not reconnect when the socket closes. */
  end() {
    this.#isOver = true;
  }

  /** Closes the socket until `resume`. */
  pause() {
    this.#isPaused = true;
    this.#socket?.close();
  }

  resume() {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (!this.#isOver) this.#open();
  }

  #open() {
    const { path, onOpen, onMessage, onFrame } = this.#options;
    const url = new URL(`${path}?ticket=${encodeURIComponent(this.#ticket)}`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    let wasOpen = false;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      wasOpen = true;
      onOpen();
    });
    socket.addEventListener("message", ({ data }) => {
      if (data instanceof ArrayBuffer) return onFrame(data);
      /** @type {Message} */
      const message = JSON.parse(data);
      if (message.type === "welcome") this.#onWelcome(message.ticket);
      onMessage(message);
    });
    socket.addEventListener("close", ({ code }) => this.#closed(code, wasOpen));
    this.#socket = socket;
  }

  /** @param {string} ticket */
  #onWelcome(ticket) {
    this.#ticket = ticket;
    this.#attempts = 0;
    this.#droppedAt = null;
  }

  /** @param {number} code @param {boolean} wasOpen */
  async #closed(code, wasOpen) {
    if (this.#isOver || this.#isPaused) return;
    if (code === REPLACED) return this.#giveUp("replaced");
    this.#droppedAt ??= performance.now();
    this.#options.onDropped();
    // Scripts cannot see why a socket failed to open. A request tells whether the service can be reached at all.
    if (!wasOpen && (await isReachable())) return this.#giveUp("rejected");
    if (performance.now() - this.#droppedAt > GIVE_UP_MS) return this.#giveUp("unreachable");
    await waitForRetry(RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)] ?? 0);
    if (!this.#isOver && !this.#isPaused) this.#open();
  }

  /** @param {"replaced" | "rejected" | "unreachable"} why */
  #giveUp(why) {
    this.#isOver = true;
    this.#options.onEnd(why);
  }
}

async function isReachable() {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Resolves after the time, or as soon as the network is back. @param {number} waitMs @returns {Promise<void>} */
function waitForRetry(waitMs) {
  return new Promise((resolve) => {
    setTimeout(resolve, waitMs);
    addEventListener("online", () => resolve(), { once: true });
  });
}
