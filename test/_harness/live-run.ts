import { once } from "node:events";
import { WebSocket } from "ws";
import type { RunServiceMessage } from "../../src/contract/live-run.ts";
import { type LoopbackServer, startLoopbackServer } from "./browser.ts";

/** A shop that is opened once the test says so: an errand that waits for it runs until then. */
export interface WaitingShop extends LoopbackServer {
  open(): void;
  /** Bodies of all that was posted. */
  readonly posted: string[];
}

const SHOP = `<!doctype html><title>Waiting shop</title><style>body { margin: 0; background: rgb(0, 128, 0) }</style>
<h1>Waiting shop</h1><p>Price: €12.50</p><p id="state">Closed</p>
<form method="post" action="/enter"><label>Password <input type="password" name="password"></label>
<label>Note <input name="note"></label><button>Enter</button></form>
<script>const timer = setInterval(async () => {
  if (await (await fetch("/state")).text() !== "open") return;
  clearInterval(timer);
  document.getElementById("state").textContent = "Open now";
}, 100)</script>`;

/** Reads the price when the shop is open. */
export const WAITING_ERRAND = "Wait until Open now appears. What is the price?";

export async function startWaitingShop(): Promise<WaitingShop> {
  let isOpen = false;
  const posted: string[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.url === "/state") return response.end(isOpen ? "open" : "closed");
    if (request.method === "POST") posted.push((await request.toArray()).join(""));
    return response.end(SHOP);
  });
  return {
    ...server,
    posted,
    open() {
      isOpen = true;
    },
  };
}

/** The page's end of the socket of a live run. */
export class RunSocket implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly messages: RunServiceMessage[] = [];
  readonly pictures: Buffer[] = [];
  /** The close code. */
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) {
        this.messages.push(JSON.parse(String(data)));
        return;
      }
      this.pictures.push(data.subarray(8));
      this.send({ type: "drawn", number: data.readUInt32BE() });
    });
  }

  /** The status instead when it is refused. */
  static async open(link: string, origin = new URL(link).origin): Promise<RunSocket | number> {
    const socket = new WebSocket(`${link.replace("http", "ws")}/live`, {
      perMessageDeflate: false,
      headers: { origin },
    });
    const opened = new RunSocket(socket);
    const { promise, resolve, reject } = Promise.withResolvers<RunSocket | number>();
    socket.on("open", () => resolve(opened));
    socket.on("unexpected-response", (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.on("error", reject);
    return promise;
  }

  send(message: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.close();
    await once(this.#socket, "close");
  }
}
