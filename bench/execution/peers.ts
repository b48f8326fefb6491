import { startModelServer } from "../../test/_harness/model-server.ts";
import { readLaunchOptions } from "../harness/browsers.ts";
import { CpuRecording } from "../harness/cpu.ts";
import { KETTLES } from "./bare-script.ts";
import type { Peer } from "./peer.ts";
import { findPlaywrightMcp } from "./playwright-mcp.ts";
import { openStagehand, readStagehandVersion } from "./stagehand.ts";
import { StagehandScript, writeActSteps } from "./stagehand-script.ts";

/** The peers that are installed in the folder, until this is disposed of. Fails if one is missing. */
export async function openPeers(folder: string): Promise<AsyncDisposable & { peers: Peer[] }> {
  const name = `Stagehand ${await readStagehandVersion(folder)}, act`;
  const playwrightMcp = await findPlaywrightMcp(folder);
  const { executablePath: browserPath, args: browserArgs } = await readLaunchOptions();
  const script = new StagehandScript(writeActSteps(KETTLES));
  const server = await startModelServer((request) => script.reply(request));
  const stagehand: Peer = {
    name,
    async run(shopUrl, order) {
      await using opened = await openStagehand({
        ...{ folder, browserPath, browserArgs },
        modelUrl: server.url,
        cacheDir: null,
      });
      using recording = new CpuRecording([opened.pid], { isSampled: true });
      const startedMs = performance.now();
      const total = await opened.act(shopUrl, order);
      return { ms: performance.now() - startedMs, cpu: recording.read(), total };
    },
  };
  return { peers: [playwrightMcp, stagehand], [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
