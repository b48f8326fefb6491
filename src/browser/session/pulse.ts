/** Lets many wait for the next time that something happens. */
export class Pulse {
  #next = Promise.withResolvers<void>();

  next(): Promise<void> {
    return this.#next.promise;
  }

  fire(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }
}
