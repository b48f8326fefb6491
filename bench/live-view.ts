/** How fast a live sign-in is, and what watching a run costs it: `npm run bench:live-view -- --help`. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { canMeasureMemory, findPeak, sampleMemory } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { formatTable, quantile } from "./harness/report.ts";
import { type LiveViewStage, openLiveViewStage, timePress } from "./live-view/stage.ts";
import { measureWatchedRuns, type WatchedRuns } from "./live-view/watched-runs.ts";

interface Options {
  runs: number;
  presses: number;
  seconds: number;
  json: boolean;
}

interface Result {
  /** Null when no runs were wanted. */
  runs: WatchedRuns | null;
  presses: number;
  live: Times;
  local: Times;
  streams: Stream[];
  /** Of the sign-in's browser with all its processes; null if the system does not report it. */
  memoryMegabytes: number | null;
}

interface Times {
  p50Ms: number;
  p95Ms: number;
  /** Presses without a visible effect. */
  missed: number;
}

/** What the service sends during one activity. */
interface Stream {
  name: string;
  framesPerSecond: number;
  kilobytesPerSecond: number;
}

const TARGET_P50_MS = 100;
/** Of the time of a run that nobody watches. */
const TARGET_COST = 1.1;
/** Consecutive presses on one page before switching to the other. */
const BLOCK = 10;
/** A fast typist. */
const KEY_EVERY_MS = 120;
const HELP = `Presses keys in a live sign-in and in the site's own page, alternately. Then runs an errand, watched and not, alternately.

  npm run bench:live-view -- [options]

  --runs <n>      runs of the demo shop's errand of eight steps, each once watched and once not (default 10; 0 for none)
  --presses <n>   key presses in each page, plus ${BLOCK} for warming up (default 150)
  --seconds <n>   how long frames are counted: while idle, while typing, during an animation (default 5)
  --json          print one JSON object instead of tables
  --help          show this help

The service is the real one, in its own process. The user's browser, the sign-in's browser and the site are on the same
machine. A time is from the key press in the page until the frame with its effect is painted there.
Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "10" },
      presses: { type: "string", default: "150" },
      seconds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    runs: readWholeNumber("--runs", values.runs, { min: 0, max: 200 }),
    presses: readWholeNumber("--presses", values.presses, { max: 2_000 }),
    seconds: readWholeNumber("--seconds", values.seconds, { max: 60 }),
    json: values.json,
  };
}

async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const signIn = await measureSignIn(options, signal);
  const runs = options.runs === 0 ? null : await measureWatchedRuns(options.runs, signal, showProgress);
  return { runs, ...signIn };
}

async function measureSignIn({ presses, seconds }: Options, signal: AbortSignal): Promise<Omit<Result, "runs">> {
  await using stage = await openLiveViewStage(signal, showProgress);
  const times = await compare(stage, presses, signal);
  showProgress("Counting frames");
  let streams: Stream[] = [];
  const count = async () => {
    streams = await countStreams(stage, seconds, signal);
  };
  const memory = (await canMeasureMemory())
    ? await sampleMemory(stage.servicePid, count)
    : await count().then(() => null);
  showProgress("Cleaning up");
  return { presses, ...times, streams, memoryMegabytes: memory && findPeak(memory).megabytes };
}

/** Alternates between the pages, so that other load on the machine affects both alike. */
async function compare({ live, local }: LiveViewStage, presses: number, signal: AbortSignal) {
  const samples = { live: [] as (number | null)[], local: [] as (number | null)[] };
  for (let done = -BLOCK; done < presses; done += BLOCK) {
    showProgress(done < 0 ? "Warming up" : `Pressing keys: ${done} of ${presses}`);
    for (const [name, page] of [["live", live] as const, ["local", local] as const]) {
      await page.bringToFront();
      for (let press = 0; press < Math.min(BLOCK, presses - done); press += 1) {
        signal.throwIfAborted();
        const ms = await timePress(page);
        if (done >= 0) samples[name].push(ms);
        // Random, so as not to synchronize with anything periodic, such as the frames.
        await sleep(KEY_EVERY_MS + Math.random() * KEY_EVERY_MS, undefined, { signal });
      }
    }
  }
  return { live: toTimes(samples.live), local: toTimes(samples.local) };
}

async function countStreams({ live, frames }: LiveViewStage, seconds: number, signal: AbortSignal): Promise<Stream[]> {
  await live.bringToFront();
  const count = async (name: string, work: () => Promise<unknown>): Promise<Stream> => {
    // Frames of the previous activity are not counted.
    await sleep(1_000, undefined, { signal });
    frames.take();
    const startedMs = performance.now();
    await work();
    const elapsed = (performance.now() - startedMs) / 1_000;
    const counted = frames.take();
    return {
      name,
      framesPerSecond: counted.frames / elapsed,
      kilobytesPerSecond: counted.bytes / 1_000 / elapsed,
    };
  };
  const wait = () => sleep(seconds * 1_000, undefined, { signal });
  const type = async () => {
    for (let spentMs = 0; spentMs < seconds * 1_000; spentMs += KEY_EVERY_MS) {
      await live.keyboard.press("a");
      await sleep(KEY_EVERY_MS, undefined, { signal });
    }
  };
  const streams = [await count("while idle", wait), await count("while typing", type)];
  await live.keyboard.press("*");
  streams.push(await count("during animations", wait));
  await live.keyboard.press("*");
  return streams;
}

function toTimes(samples: (number | null)[]): Times {
  const samplesMs = samples.filter((ms) => ms !== null);
  return {
    p50Ms: quantile(samplesMs, 0.5),
    p95Ms: quantile(samplesMs, 0.95),
    missed: samples.length - samplesMs.length,
  };
}

function formatRuns({ rounds, unwatchedMs, watchedMs, cost, picturesPerSecond }: WatchedRuns): string {
  const table = formatTable(
    [`${rounds} runs each`, "median ms", "pictures per second"],
    [
      ["nobody watches", unwatchedMs.toFixed(0), "0"],
      ["one person watches", watchedMs.toFixed(0), picturesPerSecond.toFixed(1)],
      ["median of the ratios", cost.toFixed(2), ""],
    ],
  );
  const isMet = cost <= TARGET_COST;
  return `${table}\n\nTarget: a ratio of at most ${TARGET_COST}. Met: ${isMet ? "yes" : "NO"}.\n`;
}

function format({ runs, presses, live, local, streams, memoryMegabytes }: Result): string {
  const row = (name: string, { p50Ms, p95Ms, missed }: Times) => [
    name,
    p50Ms.toFixed(1),
    p95Ms.toFixed(1),
    String(missed),
  ];
  const times = formatTable(
    [`${presses} key presses`, "p50 ms", "p95 ms", "without effect"],
    [
      row("live view", live),
      row("the site's own page", local),
      ["ratio", (live.p50Ms / local.p50Ms).toFixed(1), (live.p95Ms / local.p95Ms).toFixed(1), ""],
    ],
  );
  const isMet = live.p50Ms <= TARGET_P50_MS;
  const target = `Target: a p50 of at most ${TARGET_P50_MS} ms in the live view. Met: ${isMet ? "yes" : "NO"}.`;
  const streamed = formatTable(
    ["frames", "per second", "kB per second"],
    streams.map(({ name, framesPerSecond, kilobytesPerSecond }) => [
      name,
      framesPerSecond.toFixed(1),
      kilobytesPerSecond.toFixed(0),
    ]),
  );
  const memory = memoryMegabytes === null ? "-" : `${memoryMegabytes.toFixed(0)} MB`;
  const signIn = `${times}\n\n${target}\n\n${streamed}\n\nMemory of the sign-in's browser (PSS): ${memory}\n`;
  return runs === null ? signIn : `${signIn}\n${formatRuns(runs)}`;
}

await runCommand({ help: HELP, readOptions, run, format });
