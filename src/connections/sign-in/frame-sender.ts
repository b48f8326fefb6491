import type { LiveFrame } from "./live-browser.ts";

/** Pictures on their way to a viewer at a time: one is drawn while the next one travels. */
const MAX_UNDRAWN = 2;
const NUMBER_RANGE = 2 ** 32;

type Send = (number: number, frame: LiveFrame) => void;

/** Sends pictures no faster than they are drawn; of those that come meanwhile the newest counts. */
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

  /** Everything up to this number has been drawn. */
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
