import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TOTAL_QUESTION } from "./stagehand-script.ts";

/** What the benchmark asks of this process. */
export type StagehandRequest =
  | { kind: "open"; options: StagehandOptions }
  /** Opens the shop, acts step by step and extracts the total. */
  | { kind: "act"; shopUrl: string; instructions: string[] }
  /** Opens the shop and hands everything else to the agent, which repeats a recorded run if it has one. */
  | { kind: "agent"; shopUrl: string; instruction: string; variables: Record<string, string> };

export type StagehandReply = { value: AgentRun | string } | { failure: string };

export interface StagehandOptions {
  /** Where it is installed. */
  folder: string;
  browserPath: string;
  browserArgs: string[];
  modelUrl: string;
  /** Null if nothing is recorded. */
  cacheDir: string | null;
}

export interface AgentRun {
  /** What the agent says. */
  answer: string;
  /** What the page says in the end. */
  total: string;
}

/** What is used of the package, which is not a dependency. */
interface Stagehand {
  init(): Promise<void>;
  close(): Promise<void>;
  context: { newPage(): Promise<Page>; awaitActivePage(): Promise<Page> };
  act(instruction: string): Promise<{ success: boolean; message: string }>;
  extract(instruction: string): Promise<{ extraction: string }>;
  agent(): { execute(options: object): Promise<{ success: boolean; message: string }> };
}

interface Page {
  goto(url: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
}

const MAX_STEPS = 20;
const TIMEOUT_MS = 30_000;
const RETRY_MS = 20;
/** Only the page with the voucher applied has the button. The total on the page before it is a different one. */
const READ_TOTAL = `document.evaluate("//dt[. = 'Total' and //button[normalize-space() = 'Remove voucher']]/following-sibling::dd", document)
  .iterateNext()?.textContent.trim() ?? ""`;

let stagehand: Stagehand | null = null;

// Stagehand is a library, so it gets a process of its own: whatever that uses is Stagehand's.
process.on("message", (request: StagehandRequest) => {
  carryOut(request).then(
    (value) => send({ value }),
    (error: Error) => send({ failure: error.message }),
  );
});
// The benchmark has ended, or is done with this process.
process.on("disconnect", () => void stagehand?.close().finally(() => process.exit()));

function send(reply: StagehandReply): void {
  process.send?.(reply);
}

async function carryOut(request: StagehandRequest): Promise<AgentRun | string> {
  if (request.kind === "open") {
    stagehand = await open(request.options);
    return "";
  }
  if (stagehand === null) throw new Error("Stagehand is not open.");
  const page = await stagehand.context.newPage();
  await page.goto(request.shopUrl);
  if (request.kind === "agent") return await runAgent(stagehand, request);
  for (const instruction of request.instructions) {
    const { success, message } = await stagehand.act(instruction);
    if (!success) throw new Error(`${instruction}: ${message}`);
  }
  return (await stagehand.extract(TOTAL_QUESTION)).extraction;
}

async function open({ folder, browserPath, browserArgs, modelUrl, cacheDir }: StagehandOptions): Promise<Stagehand> {
  const installed: unknown = createRequire(join(folder, "package.json"))("@browserbasehq/stagehand");
  const { Stagehand } = installed as { Stagehand: new (options: object) => Stagehand };
  const opened = new Stagehand({
    env: "LOCAL",
    verbose: 0,
    disablePino: true,
    logger: () => {},
    model: { modelName: "openai/scripted", apiKey: "none", baseURL: modelUrl, openaiEndpointFormat: "chat" },
    localBrowserLaunchOptions: { executablePath: browserPath, headless: true, args: browserArgs },
    ...(cacheDir !== null && { cacheDir }),
  });
  await opened.init();
  return opened;
}

async function runAgent(
  stagehand: Stagehand,
  { instruction, variables }: { instruction: string; variables: Record<string, string> },
): Promise<AgentRun> {
  const { success, message } = await stagehand.agent().execute({ instruction, variables, maxSteps: MAX_STEPS });
  if (!success) throw new Error(`The agent of Stagehand failed: ${message}`);
  return { answer: message, total: await readTotal(await stagehand.context.awaitActivePage()) };
}

/** A replay ends with its last click. Reading fails while that is still loading the next page. */
async function readTotal(page: Page): Promise<string> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const total = await page.evaluate(READ_TOTAL).catch(() => "");
    if (total !== "") return String(total);
    await sleep(RETRY_MS);
  }
  throw new Error("The page does not show a total with the voucher.");
}
