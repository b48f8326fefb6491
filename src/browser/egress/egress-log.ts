import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import type { Destination, RefusalReason } from "./gate.ts";

/** One host and port that was asked for, with one verdict. */
export interface EgressEntry {
  host: string;
  port: number;
  verdict: "allowed" | RefusalReason;
  /** Requests and tunnels that were asked for. */
  requests: number;
  /** Those that got no answer from the host: no address, no connection, a broken answer. */
  failures: number;
  /** On the wire, all connections together. */
  bytesSent: number;
  bytesReceived: number;
  firstAt: Date;
  lastAt: Date;
}

export interface EgressRecord {
  /** In the order in which they were first asked for. */
  entries: EgressEntry[];
  /** Requests that found the list full and are in no entry. */
  omitted: number;
}

interface Counter {
  entry: EgressEntry;
  sockets: Set<Socket>;
}

/** Where one execution went and wanted to go. A page can invent any number of hosts, so the list is bounded. */
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

  /** Counts what goes over a connection to this host, also while it is open. */
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
