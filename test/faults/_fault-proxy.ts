import type { AddressInfo } from "node:net";
import { createServer, type Server, Socket } from "node:net";
import { type Frame, FrameReader, readStatementName } from "./_wire-frames.ts";

/** Sits between one process and PostgreSQL, knows the statements, and can hold them, cut them off or go silent. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Where PostgreSQL is from now on. */
  setUpstream(port: number): void;
  /** Catches the next matching statement. */
  setTrap(wanted: Wanted): Trap;
  /** How often a statement was sent so far. */
  count(statement: string): number;
  /** Whether a statement was sent with this id among its values. */
  hasSent(statement: string, id: string): boolean;
  /** "silent": connections stay, and new ones are accepted, but nothing gets through. "refusing": they end at once. */
  setMode(mode: "open" | "silent" | "refusing"): void;
  /** Closes every open connection. */
  cut(): void;
}

interface Wanted {
  /** The name under which it was prepared. */
  readonly statement: string;
  /** What its values contain, such as an id. */
  readonly containing?: readonly string[];
  /** What its response contains; only with "after". Until a response has it, the trap stays armed. */
  readonly returning?: string;
  /** Before PostgreSQL receives it, as soon as it is sent there, or when the response is on the way back. */
  readonly at: "before" | "during" | "after";
}

interface Trap extends Disposable {
  readonly caught: Promise<Caught>;
}

export interface Caught {
  /** Releases it, and everything that has queued up behind it. */
  release(): void;
  /** Closes its connection, on both sides. */
  cut(): void;
}

interface ArmedTrap {
  readonly wanted: Wanted;
  readonly resolve: (caught: Caught) => void;
}

export async function startFaultProxy(upstreamPort: number): Promise<FaultProxy> {
  const links = new Set<Link>();
  const traps = new Set<ArmedTrap>();
  const sent = createStatementLog();
  let upstream = upstreamPort;
  let mode: "open" | "silent" | "refusing" = "open";

  const server = createServer((client) => {
    if (mode === "refusing") return void client.destroy();
    const link = openLink(client, upstream, { traps, sent, isSilent: () => mode === "silent" });
    links.add(link);
    client.once("close", () => links.delete(link));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function cut(): void {
    for (const link of links) link.cut();
  }

  return {
    port: (server.address() as AddressInfo).port,
    setUpstream(port) {
      upstream = port;
    },
    setTrap(wanted) {
      const { promise: caught, resolve } = Promise.withResolvers<Caught>();
      const trap = { wanted, resolve };
      traps.add(trap);
      return { caught, [Symbol.dispose]: () => void traps.delete(trap) };
    },
    count: sent.count,
    hasSent: sent.has,
    setMode(next) {
      mode = next;
      if (next === "refusing") cut();
      if (next === "open") for (const link of links) link.resume();
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await close(server);
    },
  };
}

interface Link {
  cut(): void;
  resume(): void;
}

interface Surroundings {
  readonly traps: Set<ArmedTrap>;
  readonly sent: StatementLog;
  isSilent(): boolean;
}

/** One connection of a process, and its counterpart to PostgreSQL. */
function openLink(client: Socket, upstreamPort: number, { traps, sent, isSilent }: Surroundings): Link {
  const upstream = new Socket();
  const toServer = createGate(upstream);
  const toClient = createGate(client);
  const gates = [toServer, toClient];
  /** The trap whose response is pending. */
  let awaited: ArmedTrap | null = null;
  /** Its response is the wanted one. */
  let isReturned = false;

  function cut(): void {
    client.destroy();
    upstream.destroy();
  }

  function catchWith(trap: ArmedTrap): void {
    trap.resolve({
      release: () => {
        for (const gate of gates) gate.open();
      },
      cut,
    });
  }

  function onAsked(frame: Frame): void {
    const name = readStatementName(frame);
    if (name !== null) sent.add(name, frame);
    const trap = name === null ? undefined : [...traps].find(({ wanted }) => fits(wanted, name, frame));
    if (trap === undefined) {
      toServer.send(frame.bytes);
      return;
    }
    const { at, returning } = trap.wanted;
    isReturned = returning === undefined;
    if (at === "before") toServer.shut();
    else if (isReturned) toClient.shut();
    toServer.send(frame.bytes);
    if (isReturned) traps.delete(trap);
    if (at === "after") awaited = trap;
    else catchWith(trap);
  }

  function onAnswered(frame: Frame): void {
    if (awaited !== null && !isReturned && traps.has(awaited) && frame.bytes.includes(awaited.wanted.returning ?? "")) {
      isReturned = true;
      traps.delete(awaited);
      toClient.shut();
    }
    toClient.send(frame.bytes);
    // "Ready for query": everything that was requested has been done.
    if (awaited === null || frame.type !== "Z") return;
    if (isReturned) catchWith(awaited);
    awaited = null;
  }

  const asked = new FrameReader("client");
  const answered = new FrameReader("server");
  const fallSilent = () => {
    if (isSilent()) for (const gate of gates) gate.shut();
  };
  client.on("data", (chunk) => {
    fallSilent();
    for (const frame of asked.push(chunk)) onAsked(frame);
  });
  upstream.on("data", (chunk) => {
    fallSilent();
    for (const frame of answered.push(chunk)) onAnswered(frame);
  });
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    // "close" reports the error.
    socket.on("error", () => {});
    socket.on("close", cut);
  }
  upstream.connect(upstreamPort, "127.0.0.1");
  return {
    cut,
    resume: () => {
      for (const gate of gates) gate.open();
    },
  };
}

interface StatementLog {
  add(name: string, frame: Frame): void;
  count(name: string): number;
  has(name: string, id: string): boolean;
}

const IDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function createStatementLog(): StatementLog {
  const counts = new Map<string, number>();
  const mentions = new Set<string>();
  return {
    add(name, { bytes }) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      for (const [id] of bytes.toString("latin1").matchAll(IDS)) mentions.add(`${name} ${id}`);
    },
    count: (name) => counts.get(name) ?? 0,
    has: (name, id) => mentions.has(`${name} ${id}`),
  };
}

interface Gate {
  send(bytes: Buffer): void;
  shut(): void;
  open(): void;
}

/** What is sent while it is shut goes through in the same order when it opens. */
function createGate(socket: Socket): Gate {
  let waiting: Buffer[] | null = null;
  return {
    send(bytes) {
      if (waiting !== null) waiting.push(bytes);
      else if (!socket.destroyed) socket.write(bytes);
    },
    shut() {
      waiting ??= [];
    },
    open() {
      const held = waiting ?? [];
      waiting = null;
      for (const bytes of held) this.send(bytes);
    },
  };
}

function fits({ statement, containing = [] }: Wanted, name: string, { bytes }: Frame): boolean {
  return name === statement && containing.every((text) => bytes.includes(text));
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}
