import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded with `--import` into a process of its own: writes the longest time that its event loop was held, in milliseconds of
 * CPU of the main thread, to a file. CPU time, because on a busy machine any process can be interrupted for seconds. SIGUSR2
 * starts over, so that the start of the process does not count.
 */
const SAMPLE_MS = 5;

const path = process.env["ERRAND_STALL_FILE"];
if (isMainThread && path !== undefined) measure(path);

function measure(file: string): void {
  const write = (stallMs: number) => writeFileSync(file, String(Math.round(stallMs)));
  let longest = 0;
  let before = usedMs();
  setInterval(() => {
    const now = usedMs();
    if (now - before > longest) {
      longest = now - before;
      write(longest);
    }
    before = usedMs();
  }, SAMPLE_MS).unref();
  process.on("SIGUSR2", () => {
    longest = 0;
    write(0);
  });
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
