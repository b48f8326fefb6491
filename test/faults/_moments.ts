import { setTimeout as sleep } from "node:timers/promises";
import type { Prepared, Round } from "./_fault.ts";
import type { Member } from "./_member.ts";
import type { ErrandKind } from "./_site.ts";

/** A moment of a run at which everything is held, and the worker whose run it is. */
export interface Moment {
  readonly worker: Member;
  readonly errand: Prepared;
  /** Releases whatever was held. */
  release(): void;
}

/** Null when the execution ended before it got there: on a busy machine it may lose its lease by itself. */
type Reach = (round: Round) => Promise<Moment | null>;

const MAX_ATTEMPTS = 5;
const POLL_MS = 300;

/** Every phase of a run, each detected from outside: by statements, by requests at the site, by processes. */
const REACH: Readonly<Record<string, Reach>> = {
  claiming: atClaim,
  claimed: async (round) => released(await atClaim(round)),
  "browser starting": atBrowserStart,
  "browser open": (round) => atStatement(round, { statement: "queue-begin", at: "before" }),
  begun: (round) => atStatement(round, { statement: "queue-begin", at: "after" }),
  acting: (round) => atRequest(round, round.chance.pick(["read", "order"]), { method: "GET", after: 0 }),
  "mutation sent": (round) => atRequest(round, "order", { method: "POST", after: 0 }),
  "after a mutation": (round) => atRequest(round, "order", { method: "GET", path: "/done", after: 0 }),
  recording: (round) => atStatement(round, { statement: "queue-append-event", at: either(round) }),
  "keeping evidence": (round) => atStatement(round, { statement: "artifact-insert", at: either(round) }),
  verifying: atSecondLook,
  verified: (round) =>
    atStatement(round, { statement: "queue-append-event", at: either(round), containing: ["verification"] }),
  finishing: (round) =>
    atStatement(round, { statement: "execution-finish", at: round.chance.pick(["before", "during", "after"]) }),
};

export const PHASES = Object.keys(REACH);

export async function reach(round: Round): Promise<Moment> {
  const go = REACH[round.phase];
  if (go === undefined) throw new Error(`there is no phase "${round.phase}"`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const moment = await go(round);
    if (moment !== null) return moment;
    round.note("it ended before it got there: once more");
  }
  throw new Error(`no run got as far as "${round.phase}"`);
}

/** It is claimed in the database, and its worker does not know yet. */
async function atClaim(round: Round): Promise<Moment | null> {
  const errand = await round.prepare(round.newErrand());
  using trap = round.stage.trapWorkers({ statement: "queue-claim", at: "after", returning: errand.id });
  await errand.letGo();
  const reached = await unlessEnded(round, errand, trap.caught);
  if (reached === null) return null;
  const { worker, statement } = reached;
  round.note(`worker ${worker.pid()} waits for the response to its claim`);
  return { worker, errand, release: statement.release };
}

/** Its worker knows, and has had no time for anything else. */
function released(moment: Moment | null): Moment | null {
  moment?.release();
  return moment;
}

interface WantedStatement {
  statement: string;
  at: "before" | "during" | "after";
  containing?: readonly string[];
}

async function atStatement(round: Round, wanted: WantedStatement): Promise<Moment | null> {
  const { statement, at, containing = [] } = wanted;
  const errand = await round.prepare(round.newErrand());
  using trap = round.stage.trapWorkers({ statement, at, containing: [errand.id, ...containing] });
  await errand.letGo();
  const reached = await unlessEnded(round, errand, trap.caught);
  if (reached === null) return null;
  const { worker, statement: caught } = reached;
  round.note(`worker ${worker.pid()} is held ${at} ${statement}`);
  return { worker, errand, release: caught.release };
}

async function atRequest(
  round: Round,
  kind: ErrandKind,
  { method, path = kind === "order" && method === "POST" ? "/orders" : `/${kind}`, after }: WantedRequest,
): Promise<Moment | null> {
  const errand = await round.prepare(round.newErrand(kind));
  const held = round.stage.site.hold({ key: errand.key, method, path, after });
  await errand.letGo();
  const arrived = held.arrived.then(() => true);
  if ((await unlessEnded(round, errand, arrived)) === null) {
    held[Symbol.dispose]();
    return null;
  }
  const worker = findHolder(round, errand);
  round.note(`worker ${worker.pid()} waits for the answer to ${method} ${path}`);
  return { worker, errand, release: held.release };
}

interface WantedRequest {
  method: "GET" | "POST";
  path?: string;
  after: number;
}

/** The page that supports the claim is requested again. */
function atSecondLook(round: Round): Promise<Moment | null> {
  const kind = round.chance.pick(["read", "order"]);
  return atRequest(round, kind, { method: "GET", path: kind === "order" ? "/done" : "/read", after: 1 });
}

/** No worker has a browser ready, and the one that the run needs hangs at its start. */
async function atBrowserStart(round: Round): Promise<Moment | null> {
  const { stage } = round;
  // Before the connection is reserved, since one of the others may be waiting for it.
  await untilOthersEnded(round);
  const errand = await round.prepare(round.newErrand());
  await stage.browsers.shut();
  for (const worker of stage.workers) worker.killBrowsers();
  using trap = stage.trapWorkers({ statement: "queue-claim", at: "after", returning: errand.id });
  await errand.letGo();
  const reached = await unlessEnded(round, errand, trap.caught);
  if (reached === null) return null;
  const { worker, statement } = reached;
  statement.release();
  await stage.browsers.untilStarting(worker.pid());
  round.note(`worker ${worker.pid()} waits for a browser to start`);
  return { worker, errand, release: () => stage.browsers.open() };
}

/** Otherwise their browsers would be killed as well. */
async function untilOthersEnded({ stage, signal }: Round): Promise<void> {
  const others = () => stage.query("select 1 from executions where terminal_status is null limit 1");
  while ((await others()).length > 0) await sleep(POLL_MS, undefined, { signal });
}

/** Null when the execution has ended and the awaited event has not happened. */
async function unlessEnded<Reached>(
  { stage, signal }: Round,
  { id }: Prepared,
  reached: Promise<Reached>,
): Promise<Reached | null> {
  const settled = new AbortController();
  const ended = async () => {
    const waiting = { signal: AbortSignal.any([signal, settled.signal]) };
    const find = () => stage.query("select 1 from executions where id = $1 and terminal_status is not null", [id]);
    while ((await find()).length === 0) await sleep(POLL_MS, undefined, waiting);
    // The event may be what ended it.
    await sleep(POLL_MS, undefined, waiting);
    return null;
  };
  try {
    return await Promise.race([reached, ended()]);
  } finally {
    settled.abort();
  }
}

function findHolder({ stage }: Round, { id }: Prepared): Member {
  const holder = stage.workers.findLast(({ proxy }) => proxy.hasSent("queue-begin", id));
  if (holder === undefined) throw new Error(`nobody holds execution ${id}`);
  return holder;
}

function either({ chance }: Round): "before" | "after" {
  return chance.pick(["before", "after"]);
}
