import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "../../test/_harness/model-server.ts";
import { readLaunchOptions } from "../harness/browsers.ts";
import { CpuRecording, sumCpu } from "../harness/cpu.ts";
import { type CartOrder, VOUCHER } from "./bare-script.ts";
import { openStagehand, readStagehandVersion } from "./stagehand.ts";
import { StagehandScript, VARIABLES, writeActSteps } from "./stagehand-script.ts";

/** Stagehand's agent with a cache folder: the first run asks the model and is recorded, the others repeat it. */
export interface StagehandReplays extends AsyncDisposable {
  name: string;
  /** In a browser that was started before, like the warm bare script, and with an empty cart. */
  run(order: CartOrder): Promise<{
    cost: { ms: number; cpu: number; requests: number; tokens: number };
    /** What the agent says. */
    answer: string;
    /** What the page says in the end. */
    total: string;
  }>;
}

const CHARACTERS_PER_TOKEN = 4;

/** `first` is the order that is recorded. */
export async function openStagehandReplays(
  folder: string,
  shopUrl: string,
  first: CartOrder,
): Promise<StagehandReplays> {
  const name = `Stagehand ${await readStagehandVersion(folder)}`;
  await using parts = new AsyncDisposableStack();
  const cacheDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(cacheDir, { recursive: true, force: true }));
  const script = new StagehandScript(writeActSteps(first, VARIABLES));
  const server = parts.use(await startModelServer((request) => script.reply(request)));
  const { executablePath: browserPath, args: browserArgs } = await readLaunchOptions();
  const owned = parts.move();
  return {
    name,
    async run(order) {
      await using opened = await openStagehand({
        ...{ folder, browserPath, browserArgs, cacheDir },
        modelUrl: server.url,
      });
      const before = server.requests.length;
      using recording = new CpuRecording([opened.pid], { isSampled: true });
      const startedMs = performance.now();
      const { answer, total } = await opened.runAgent(shopUrl, { ...order, voucher: VOUCHER });
      const [ms, cpu] = [performance.now() - startedMs, sumCpu(recording.read())];
      const sent = server.requests.slice(before);
      const characters = sent.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
      const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
      return { cost: { ms, cpu, requests: sent.length, tokens }, answer, total };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
