import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import type { Destination, RefusalReason } from "./gate.ts";

/** Requests to one host and port with the same verdict. */
export interface EgressEntry {
  host: string;
  port: number;
  verdict: "allowed" | RefusalReason;
  /** Requests and tunnels. */
  requests: number;
  /** Requests without a response from the host: no address, no connection, a broken response. */
  failures: number;
  /** On the wire, over all connections. */
  bytesSent: number;
  bytesReceived: number;
  firstAt: Date;
  lastAt: Date;
}

export interface EgressRecord {
  /** In the order of their first request. */
  entries: EgressEntry[];
  /** Requests without an entry because the list was full. */
  omitted: number;
}

interface Counter {
  entry: EgressEntry;
  sockets: Set<Socket>;
}

/** What one browser requested, by destination. Bounded, because a page can request any number of hosts. */
export class EgressLog {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #counters = new Map<string, Counter>();
  #omitted = 0;

  constructor(clock: Clock, maxEntries: number) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  record(destination: Destination, verdict: EgressEntry["verdict"]): EgressEntry {
    const at = this.#clock.now();
    const key = keyOf(destination, verdict);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      const { host, port } = destination;
      const counts = { requests: 0, failures: 0, bytesSent: 0, bytesReceived: 0 };
      counter = { entry: { host, port, verdict, ...counts, firstAt: at, lastAt: at }, sockets: new Set() };
      if (this.#counters.size < this.#maxEntries) this.#counters.set(key, counter);
      else this.#omitted += 1;
    }
    counter.entry.requests += 1;
    counter.entry.lastAt = at;
    return { ...counter.entry };
  }

  recordFailure(destination: Destination): void {
    const counter = this.#counters.get(keyOf(destination, "allowed"));
    if (counter !== undefined) counter.entry.failures += 1;
  }

  /** Counts the bytes of a connection to this host, including while it is open. */
  meter(destination: Destination, socket: Socket): void {
    const counter = this.#counters.get(keyOf(destination, "allowed"));
    if (counter === undefined) return;
    counter.sockets.add(socket);
    socket.once("close", () => {
      counter.sockets.delete(socket);
      addBytes(counter.entry, socket);
    });
  }

  read(): EgressRecord {
    const entries = [...this.#counters.values()].map(({ entry, sockets }) => {
      const copy = { ...entry };
      for (const socket of sockets) addBytes(copy, socket);
      return copy;
    });
    return { entries, omitted: this.#omitted };
  }
}

function addBytes(entry: EgressEntry, socket: Socket): void {
  entry.bytesSent += socket.bytesWritten;
  entry.bytesReceived += socket.bytesRead;
}

function keyOf({ host, port }: Destination, verdict: EgressEntry["verdict"]): string {
  return `${verdict} ${host} ${port}`;
}
