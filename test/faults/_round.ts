import { setTimeout as sleep } from "node:timers/promises";
import type { Seat } from "./_clients.ts";
import type { Errand, Fault, Round } from "./_fault.ts";
import type { Invariants } from "./_invariants.ts";
import { findLeaks } from "./_leaks.ts";
import { type Chance, createChance } from "./_seed.ts";
import type { Stage } from "./_stage.ts";

interface RoundOptions {
  stage: Stage;
  invariants: Invariants;
  fault: Fault;
  /** Random if omitted. */
  phase?: string;
  seed: number;
}

export interface RoundReport {
  phase: string;
  inFlight: number;
  ms: number;
  /** The problems afterwards; empty when there are none. */
  violations: string[];
  history: string[];
}

const MAX_IN_FLIGHT = 3;
const STRIKE_TIMEOUT_MS = 120_000;
const END_TIMEOUT_MS = 90_000;
const TIDY_TIMEOUT_MS = 45_000;
const FRESH_ATTEMPTS = 4;
const POLL_MS = 50;

/** One fault among other executions; afterwards all guarantees are checked. */
export async function playRound({ stage, invariants, fault, phase: wanted, seed }: RoundOptions): Promise<RoundReport> {
  const chance = createChance(seed);
  const phase = wanted ?? chance.pick(fault.phases);
  const startedMs = performance.now();
  const history: string[] = [];
  const note = (text: string) => void history.push(`${Math.round(performance.now() - startedMs)} ms: ${text}`);
  const newErrand = createErrands(stage, chance, seed);
  const round: Round = {
    stage,
    phase,
    chance,
    signal: AbortSignal.timeout(STRIKE_TIMEOUT_MS),
    note,
    newErrand,
    prepare: (errand) => prepare(stage, errand, note),
    rememberEndings: invariants.rememberEndings,
  };
  const bystanders = chance.between(0, MAX_IN_FLIGHT - 1);
  const violations: string[] = [];
  try {
    note(`${fault.name}, ${phase}, with ${bystanders} others in flight`);
    await Promise.all(Array.from({ length: bystanders }, () => stage.clients.create(newErrand())));
    await fault.strike(round);
    note("starting again what was killed");
    await wakeAll(stage);
    await Promise.all([stage.reviveAll(), untilAllEnded(stage)]);
    note("every execution has ended");
    await completeFresh(stage, newErrand, note);
    violations.push(...(await untilTidy(stage)), ...(await invariants.findViolations()));
    await stage.reviveAll();
  } catch (error) {
    violations.push((error as Error).message);
    await stage.reviveAll().catch((failure: Error) => violations.push(failure.message));
    await wakeAll(stage);
  }
  for (const { unexpectedEnds } of [stage.api, ...stage.workers]) violations.push(...unexpectedEnds.splice(0));
  const ms = performance.now() - startedMs;
  return { phase, inFlight: bystanders + 1, ms, violations, history };
}

/** Each round has its own keys, even when it is replayed on the same stage. */
function createErrands({ seats }: Stage, chance: Chance, seed: number): Round["newErrand"] {
  const begin = `${seed.toString(36)}-${Math.floor(performance.now()).toString(36)}`;
  let count = 0;
  return (kind = chance.pick(["read", "order"])) => {
    count += 1;
    return { seat: chance.pick(seats), kind, key: `${begin}-${count}` };
  };
}

/** Reserves the connection as a sign-in check does, so that no worker claims the execution before it is released. */
async function prepare({ query, clients }: Stage, errand: Errand, note: Round["note"]): ReturnType<Round["prepare"]> {
  const { seat } = errand;
  await rest(query, seat, "now() + interval '5 minutes'");
  const accepted = await clients.create(errand);
  note(`${errand.kind} errand ${accepted.id}`);
  return {
    ...accepted,
    seat,
    async letGo() {
      await rest(query, seat, "null");
      await query("select pg_notify('errand', 'queue')");
    },
  };
}

async function rest(query: Stage["query"], { connectionId }: Seat, until: string): Promise<void> {
  await query(`update connections set check_expires_at = ${until} where id = $1`, [connectionId]);
}

/** Even after a fault that failed halfway. */
async function wakeAll({ browsers, query, workers }: Stage): Promise<void> {
  browsers.open();
  for (const worker of workers) worker.resume();
  await query("update connections set check_expires_at = null where check_expires_at is not null");
}

async function untilAllEnded({ query }: Stage): Promise<void> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const open = await query(
      `select executions.id, status, fence, began_at, lease_expires_at - now() as lease, queued_since, check_expires_at
       from executions join connections on connections.id = connection_id where status in ('QUEUED', 'RUNNING')`,
    );
    if (open.length === 0) return;
    if (performance.now() > deadline) throw new Error(`executions do not come to an end: ${JSON.stringify(open)}`);
    await sleep(POLL_MS);
  }
}

/** The service is healthy again when a new client is served, if not at once: a busy machine may fail by itself. */
async function completeFresh({ clients, query }: Stage, newErrand: Round["newErrand"], note: Round["note"]) {
  let last = "";
  for (let attempt = 0; attempt < FRESH_ATTEMPTS; attempt += 1) {
    const { id } = await clients.create(newErrand());
    const ended = await untilEnded(query, id);
    if (ended.status === "COMPLETED") return;
    last = JSON.stringify(ended);
    note(`a fresh execution failed: ${last}`);
  }
  throw new Error(`a fresh execution does not complete: ${last}`);
}

interface Ended {
  status: string;
  terminal_status: string;
  terminal_reason: string;
}

async function untilEnded(query: Stage["query"], id: string): Promise<Ended> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const [row] = await query<Ended>("select status, terminal_status, terminal_reason from executions where id = $1", [
      id,
    ]);
    if (row?.terminal_status) return row;
    if (performance.now() > deadline) throw new Error(`a fresh execution does not end: ${JSON.stringify(row)}`);
    await sleep(POLL_MS);
  }
}

/** Browsers take a moment to end, and so does the detection of abandoned sessions. */
async function untilTidy(stage: Stage): Promise<string[]> {
  const deadline = performance.now() + TIDY_TIMEOUT_MS;
  for (;;) {
    const leaks = await findLeaks(stage);
    if (leaks.length === 0 || performance.now() > deadline) return leaks;
    await sleep(POLL_MS * 4);
  }
}
