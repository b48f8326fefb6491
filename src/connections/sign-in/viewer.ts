import type { ServiceMessage, ViewerMessage } from "../../contract/live-view.ts";
import type { LiveFrame } from "./live-browser.ts";

/** The person's page at the other end of a socket. Calls after `close` do nothing. */
export interface Viewer {
  send(message: ServiceMessage): void;
  sendFrame(number: number, frame: LiveFrame): void;
  /** Whether the person is still signed in to Errand: on a shared computer someone else may be by now. */
  isSignedIn(): Promise<boolean>;
  /** Another viewer has joined, or the sign-in is over and `over` has been sent. */
  close(reason: "over" | "replaced"): void;
}

/** A connected viewer. Its messages have been checked against the contract. */
export interface ViewerSession {
  receive(message: ViewerMessage): void;
  /** The socket has closed; the viewer may come back within a minute. */
  leave(): void;
}

/** Unconfirmed frames in flight: one is being drawn while the next one travels. */
const MAX_UNDRAWN = 2;
const NUMBER_RANGE = 2 ** 32;

type Send = (number: number, frame: LiveFrame) => void;

/** Sends frames no faster than the viewer draws them; in between, only the newest is kept. */
export class FrameSender {
  #send: Send | null = null;
  #newest: LiveFrame | null = null;
  #isNewestSent = false;
  #number = 0;
  #undrawn = 0;

  attach(send: Send): void {
    this.#send = send;
    this.#undrawn = 0;
    this.#isNewestSent = false;
    this.#sendNewest();
  }

  detach(): void {
    this.#send = null;
  }

  show(frame: LiveFrame): void {
    this.#newest = frame;
    this.#isNewestSent = false;
    this.#sendNewest();
  }

  /** The viewer has drawn everything up to this number. */
  confirm(number: number): void {
    const left = (this.#number - number + NUMBER_RANGE) % NUMBER_RANGE;
    if (left >= this.#undrawn) return;
    this.#undrawn = left;
    this.#sendNewest();
  }

  #sendNewest(): void {
    if (this.#send === null || this.#newest === null || this.#isNewestSent || this.#undrawn >= MAX_UNDRAWN) return;
    this.#number = (this.#number + 1) % NUMBER_RANGE;
    this.#undrawn += 1;
    this.#isNewestSent = true;
    this.#send(this.#number, this.#newest);
  }
}
