// @ts-check
/** @import { ServiceMessage, ViewerMessage } from "../../../contract/live-view.ts" */

/**
 * @typedef {object} ConnectionOptions
 * @property {string} address Path of the socket.
 * @property {string} ticket
 * @property {() => void} onOpen
 * @property {(message: ServiceMessage) => void} onMessage
 * @property {(frame: ArrayBuffer) => void} onFrame
 * @property {() => void} onDropped The line is cut, and tried again.
 * @property {(why: "replaced" | "refused" | "unreachable") => void} onEnd No more attempts are made.
 */

const REPLACED = 4001;
const RETRY_MS = [300, 1_000, 2_000, 3_000, 5_000];
const GIVE_UP_MS = 60_000;

/** The socket, which comes back by itself with the ticket that the service gave for it. */
export class Connection {
  #options;
  #ticket;
  /** @type {WebSocket | null} */
  #socket = null;
  #isOver = false;
  #attempts = 0;
  /** When the line was cut; null while it is open. @type {number | null} */
  #droppedAt = null;

  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.#options = options;
    this.#ticket = options.ticket;
    this.#open();
  }

  /** What cannot be sent now is not sent later: it was meant for another moment. @param {ViewerMessage} message */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** It is over for good: a socket that closes now is no surprise. */
  end() {
    this.#isOver = true;
  }

  #open() {
    const { address, onOpen, onMessage, onFrame } = this.#options;
    const url = new URL(`${address}?ticket=${encodeURIComponent(this.#ticket)}`, location.href);
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
      /** @type {ServiceMessage} */
      const message = JSON.parse(data);
      if (message.type === "welcome") this.#settle(message.ticket);
      onMessage(message);
    });
    socket.addEventListener("close", ({ code }) => this.#closed(code, wasOpen));
    this.#socket = socket;
  }

  /** @param {string} ticket */
  #settle(ticket) {
    this.#ticket = ticket;
    this.#attempts = 0;
    this.#droppedAt = null;
  }

  /** @param {number} code @param {boolean} wasOpen */
  async #closed(code, wasOpen) {
    if (this.#isOver) return;
    if (code === REPLACED) return this.#giveUp("replaced");
    this.#droppedAt ??= performance.now();
    this.#options.onDropped();
    // A script is not told why a socket did not open: the service is asked whether it can be reached at all.
    if (!wasOpen && (await isReachable())) return this.#giveUp("refused");
    if (performance.now() - this.#droppedAt > GIVE_UP_MS) return this.#giveUp("unreachable");
    await whenWorthTrying(RETRY_MS[Math.min(this.#attempts++, RETRY_MS.length - 1)] ?? 0);
    if (!this.#isOver) this.#open();
  }

  /** @param {"replaced" | "refused" | "unreachable"} why */
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

/** After so long, or as soon as the network is back. @param {number} waitMs @returns {Promise<void>} */
function whenWorthTrying(waitMs) {
  return new Promise((resolve) => {
    setTimeout(resolve, waitMs);
    addEventListener("online", () => resolve(), { once: true });
  });
}
