import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { LiveLink } from "../../src/contract/live-run.ts";
import { type ExecutionStage, openExecutionStage, runExecution } from "../execution/service.ts";
import { median } from "../harness/report.ts";

export interface WatchedRuns {
  rounds: number;
  /** Medians, from the claim to the end, by the service's clock. */
  unwatchedMs: number;
  watchedMs: number;
  /** Median of the ratios within a round. */
  cost: number;
  picturesPerSecond: number;
}

/** In the meantime the service starts its next warm browsers. */
const PAUSE_MS = 1_000;

/** The same errand, watched and not, in turn: so other load on the machine affects both alike. */
export async function measureWatchedRuns(
  rounds: number,
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<WatchedRuns> {
  await using stage = await openExecutionStage(signal, onProgress);
  const samples: { unwatched: number; watched: number; pictures: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    onProgress(round === 0 ? "Warming up" : `Watching runs: ${round} of ${rounds}`);
    const unwatched = (await runOnce(stage, false, signal)).ms;
    const { ms: watched, pictures } = await runOnce(stage, true, signal);
    if (round > 0) samples.push({ unwatched, watched, pictures });
  }
  const watchedMs = median(samples.map(({ watched }) => watched));
  return {
    rounds,
    unwatchedMs: median(samples.map(({ unwatched }) => unwatched)),
    watchedMs,
    cost: median(samples.map(({ watched, unwatched }) => watched / unwatched)),
    picturesPerSecond: median(samples.map(({ pictures, watched }) => pictures / (watched / 1_000))),
  };
}

async function runOnce(stage: ExecutionStage, isWatched: boolean, signal: AbortSignal) {
  await sleep(PAUSE_MS, undefined, { signal });
  const [connection] = stage.connections;
  if (connection === undefined) throw new Error("The stage has no connection.");
  const { base, token } = connection;
  let pictures = 0;
  let socket: WebSocket | null = null;
  const { ms, phases } = await runExecution(connection, stage.shopUrl, signal, async (id) => {
    if (!isWatched) return;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${base}/${id}/live`, { method: "POST", headers, signal });
    const { url } = (await response.json()) as LiveLink;
    const opened = new WebSocket(`${url.replace("http", "ws")}/live`, { headers: { origin: new URL(url).origin } });
    socket = opened;
    opened.on("message", (data: Buffer, isBinary: boolean) => {
      if (!isBinary) return;
      pictures += 1;
      opened.send(JSON.stringify({ type: "drawn", number: data.readUInt32BE() }));
    });
  });
  (socket as WebSocket | null)?.close();
  return { ms: ms - phases.requests - phases.queue, pictures };
}
