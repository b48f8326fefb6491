import { connect, type Socket } from "node:net";

interface Answer {
  status: number;
  body: string;
}

const HEAD_END = "\r\n\r\n";
const TIMEOUT_MS = 10_000;

/**
 * One keep-alive connection, one request at a time. Only what a benchmark of our own servers needs: an answer has a
 * Content-Length. Bytes are read as latin1, which keeps lengths right and is the cheapest there is.
 */
export class HttpConnection implements Disposable {
  readonly #socket: Socket;
  #received = "";
  #waiting: PromiseWithResolvers<Answer> | null = null;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1").setTimeout(TIMEOUT_MS);
    this.#socket.on("data", (text: string) => this.#receive(text));
    this.#socket.on("timeout", () => this.#fail(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  request(text: string): Promise<Answer> {
    this.#waiting = Promise.withResolvers<Answer>();
    this.#socket.write(text, "latin1");
    return this.#waiting.promise;
  }

  #receive(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without Content-Length:\n${head}`));
      return;
    }
    const bodyStart = headEnd + HEAD_END.length;
    if (this.#received.length < bodyStart + Number(length)) return;
    const answer = { status: Number(head.slice(9, 12)), body: this.#received.slice(bodyStart) };
    this.#received = "";
    this.#waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#socket.destroy();
  }

  [Symbol.dispose](): void {
    this.#waiting = null;
    this.#socket.destroy();
  }
}
