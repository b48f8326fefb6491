import { findTraces } from "../_harness/browser-processes.ts";
import { listListening } from "./_listening.ts";
import type { Member } from "./_member.ts";
import type { Stage } from "./_stage.ts";

/** Browsers that an idle worker keeps ready, and how many contexts each has. */
const MAX_WARM = 2;
const MAX_CONTEXTS = 2;

/** What killed processes left behind, and what idle ones still hold. Linux only. */
export async function findLeaks(stage: Stage): Promise<string[]> {
  const members = [stage.api, ...stage.workers];
  const lists = await Promise.all([
    ...members.map(findLeft),
    ...stage.workers.map(findExcess),
    findSessions(stage, members),
  ]);
  return lists.flat();
}

async function findLeft({ formerPids }: Member): Promise<string[]> {
  return [...formerPids].flatMap((pid) => {
    const { folders, all } = findTraces(pid);
    if (folders.length + all.length === 0) formerPids.delete(pid);
    return [
      ...folders.map((folder) => `the killed process ${pid} has left the folder ${folder}`),
      ...all.map((browser) => `the killed process ${pid} has left process ${browser} of a browser`),
    ];
  });
}

async function findExcess(worker: Member): Promise<string[]> {
  const pid = worker.pid();
  const { browsers, folders } = findTraces(pid);
  const atFirst = worker.ports();
  const ports = (await listListening(pid)).filter((port) => !atFirst.includes(port));
  return [
    ...(browsers.length > MAX_WARM ? [`the idle worker ${pid} has ${browsers.length} browsers`] : []),
    ...(folders.length > MAX_WARM ? [`the idle worker ${pid} has ${folders.length} folders of browsers`] : []),
    // Each context has a proxy, and in a browser that has just started it is about to be opened.
    ...(ports.length > browsers.length * MAX_CONTEXTS ? [`the idle worker ${pid} listens on ${ports.join(", ")}`] : []),
  ];
}

/** Nothing is in progress, so there must be no open transaction, row lock or lock wait. */
async function findSessions({ query }: Stage, members: readonly Member[]): Promise<string[]> {
  const stuck = await query<{ what: string }>(
    `select format('a session of %s is %s since %s', application_name, state, now() - state_change) as what
     from pg_stat_activity
     where application_name like 'errand%' and state like 'idle in transaction%' and state_change < now() - interval '1 second'
     union all
     select format('a session of %s waits for a lock: %s', application_name, left(query, 80))
     from pg_locks join pg_stat_activity using (pid) where not granted and application_name like 'errand%'`,
  );
  const sessions = await query<{ name: string }>(
    "select application_name as name from pg_stat_activity where application_name like 'errand%'",
  );
  const living = new Set(members.map((member) => member.pid()));
  const ghosts = sessions.filter(({ name }) => !living.has(Number(/\d+$/.exec(name)?.[0])));
  return [...stuck.map(({ what }) => what), ...ghosts.map(({ name }) => `the session "${name}" is nobody's any more`)];
}
