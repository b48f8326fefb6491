import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CartOrder } from "./bare-script.ts";
import { readPeerVersion } from "./peer.ts";
import type { AgentRun, StagehandOptions, StagehandReply, StagehandRequest } from "./stagehand-process.ts";
import { VARIABLES, writeActSteps } from "./stagehand-script.ts";

const PACKAGE = "@browserbasehq/stagehand";
const STOP_TIMEOUT_MS = 10_000;

/** Fails unless it is a version that this benchmark can drive. */
export async function readStagehandVersion(folder: string): Promise<string> {
  const version = await readPeerVersion(folder, PACKAGE);
  if (version.startsWith("3.")) return version;
  throw new Error(
    `Stagehand ${version} is installed in ${folder}, but version 3 is needed: version 4 runs inside Chrome as an extension, which a headless shell cannot load, and caches on a server only. Run: npm install --prefix ${folder} ${PACKAGE}@3`,
  );
}

/** A running Stagehand with its browser, in a process of its own. */
interface StagehandProcess extends AsyncDisposable {
  pid: number;
  /** Returns the total. */
  act(shopUrl: string, order: CartOrder): Promise<string>;
  runAgent(shopUrl: string, order: CartOrder & { voucher: string }): Promise<AgentRun>;
}

export async function openStagehand(options: StagehandOptions): Promise<StagehandProcess> {
  const child = fork(join(import.meta.dirname, "stagehand-process.ts"), {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // In its own process group: Ctrl-C goes to the benchmark, which then closes it in order.
    detached: true,
  });
  const ask = async (request: StagehandRequest): Promise<AgentRun | string> => {
    const settled = new AbortController();
    const gone = once(child, "exit", settled).then(() => ({ failure: "The process of Stagehand has ended." }));
    gone.catch(() => {});
    const replied = once(child, "message", settled).then(([reply]) => reply as StagehandReply);
    replied.catch(() => {});
    child.send(request);
    const reply = await Promise.race([replied, gone]).finally(() => settled.abort());
    if ("failure" in reply) throw new Error(`Stagehand: ${reply.failure}`);
    return reply.value;
  };
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    const killing = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    child.disconnect();
    await exited;
    clearTimeout(killing);
  };
  try {
    await ask({ kind: "open", options });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    async act(shopUrl, order) {
      const instructions = writeActSteps(order).map(({ instruction }) => instruction);
      return (await ask({ kind: "act", shopUrl, instructions })) as string;
    },
    async runAgent(shopUrl, variables) {
      const instruction = `Put ${VARIABLES.quantity} of the ${VARIABLES.product} into my cart, apply the voucher ${VARIABLES.voucher} and tell me the total.`;
      return (await ask({ kind: "agent", shopUrl, instruction, variables: { ...variables } })) as AgentRun;
    },
    [Symbol.asyncDispose]: close,
  };
}
