import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Round } from "../_fault.ts";
import type { Member } from "../_member.ts";
import { PHASES, reach } from "../_moments.ts";

const WAYS = ["silent", "refusing", "cut"] as const;
const SHORTEST_MS = 50;
const ANSWERING = "answering";

/** One process's connection to PostgreSQL breaks, or loses everything, for a while. */
export const DATABASE_AWAY: Fault = {
  name: "database-away",
  phases: [...PHASES, ANSWERING],
  strike: (round) => (round.phase === ANSWERING ? strikeApi(round) : strikeWorker(round)),
};

async function strikeWorker(round: Round): Promise<void> {
  const { worker, release } = await reach(round);
  await during(round, worker, async () => release());
}

/** Clients that create in the meantime are told to retry, and do. */
async function strikeApi(round: Round): Promise<void> {
  const { stage, newErrand } = round;
  let creating: Promise<unknown> = Promise.resolve();
  await during(round, stage.api, async () => {
    creating = stage.clients.create(newErrand());
    creating.catch(() => {});
  });
  await creating;
}

/** For up to twice the lease, so that some runs keep theirs and some do not. */
async function during({ stage, chance, note }: Round, member: Member, begin: () => Promise<void>): Promise<void> {
  const way = chance.pick(WAYS);
  const forMs = chance.between(SHORTEST_MS, 2 * stage.leaseMs);
  note(`the database is ${way} to ${member.role} ${member.pid()} for ${forMs} ms`);
  if (way === "cut") member.proxy.cut();
  else member.proxy.setMode(way);
  try {
    await begin();
    await sleep(forMs);
  } finally {
    member.proxy.setMode("open");
  }
}
