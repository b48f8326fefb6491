/** How long a key takes to the picture of a live sign-in, next to a page by itself: `node bench/live-view.ts --help`. */

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runCommand, showProgress } from "./_command.ts";
import { canMeasureMemory, measurePeak } from "./_execution-memory.ts";
import { formatResult, type LiveViewResult, type Stream, toTimes } from "./_live-view-report.ts";
import { type LiveViewStage, setLiveViewStage } from "./_live-view-stage.ts";
import { timePress } from "./_live-view-watch.ts";

interface Options {
  presses: number;
  seconds: number;
  json: boolean;
}

/** Presses in a row on one page, before it is the other's turn. */
const BLOCK = 10;
/** Somebody who types quickly. */
const KEY_EVERY_MS = 120;
const HELP = `Presses keys on a live sign-in page and on the same site in a page by itself, in turns.

  node bench/live-view.ts [options]

  --presses <n>   presses on each page; ${BLOCK} more warm up (default 150)
  --seconds <n>   how long pictures are counted: at rest, while typing, while something moves (default 5)
  --json          print one JSON object instead of tables
  --help          this text

The service is the real one, as a process of its own; the person's browser, the site's browser and the site are on the
same machine. A time is from the key in the page until the frame with its change has been painted.
Everything runs in temporary folders and on loopback, and is removed at the end, also on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      presses: { type: "string", default: "150" },
      seconds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    presses: readNumber("--presses", values.presses, 2_000),
    seconds: readNumber("--seconds", values.seconds, 60),
    json: values.json,
  };
}

function readNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) throw new Error(`${name} is a whole number from 1 to ${max}.`);
  return value;
}

async function run({ presses, seconds }: Options, signal: AbortSignal): Promise<LiveViewResult> {
  await using stage = await setLiveViewStage(signal, showProgress);
  const times = await compare(stage, presses, signal);
  showProgress("Counting pictures");
  let streams: Stream[] = [];
  const count = async () => {
    streams = await countStreams(stage, seconds, signal);
  };
  const peak = (await canMeasureMemory()) ? await measurePeak(stage.servicePid, count) : await count().then(() => null);
  showProgress("Cleaning up");
  return { presses, ...times, streams, memoryMegabytes: peak?.megabytes ?? null };
}

/** What else the machine does hits both alike. */
async function compare({ live, local }: LiveViewStage, presses: number, signal: AbortSignal) {
  const samples = { live: [] as number[], local: [] as number[] };
  for (let done = -BLOCK; done < presses; done += BLOCK) {
    showProgress(done < 0 ? "Warming up" : `Pressing keys: ${done} of ${presses}`);
    for (const [name, page] of [["live", live] as const, ["local", local] as const]) {
      await page.bringToFront();
      for (let press = 0; press < Math.min(BLOCK, presses - done); press += 1) {
        signal.throwIfAborted();
        const ms = await timePress(page);
        if (done >= 0) samples[name].push(ms);
        // Not in step with anything that ticks, such as the pictures.
        await sleep(KEY_EVERY_MS + Math.random() * KEY_EVERY_MS, undefined, { signal });
      }
    }
  }
  return { live: toTimes(samples.live), local: toTimes(samples.local) };
}

async function countStreams({ live, frames }: LiveViewStage, seconds: number, signal: AbortSignal): Promise<Stream[]> {
  await live.bringToFront();
  const count = async (name: string, work: () => Promise<unknown>): Promise<Stream> => {
    // What still comes from before is not counted.
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
  const rest = () => sleep(seconds * 1_000, undefined, { signal });
  const type = async () => {
    for (let spentMs = 0; spentMs < seconds * 1_000; spentMs += KEY_EVERY_MS) {
      await live.keyboard.press("a");
      await sleep(KEY_EVERY_MS, undefined, { signal });
    }
  };
  const streams = [await count("at rest", rest), await count("while typing", type)];
  await live.keyboard.press("*");
  streams.push(await count("while something moves", rest));
  await live.keyboard.press("*");
  return streams;
}

await runCommand({ help: HELP, readOptions, run, format: formatResult });
