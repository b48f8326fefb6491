/** What a long run costs in tokens, turn by turn: `npm run bench:prompt -- --help`. */
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { startDemoShop } from "../demo/shop.ts";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../src/config/env.ts";
import { runCommand, showProgress } from "./_command.ts";
import { measureWalk, type TurnSize } from "./_prompt-run.ts";
import { SHOP_WALK, TABLE_WALK } from "./_prompt-walks.ts";
import { formatTable } from "./_report.ts";

interface Options {
  turns: number;
  json: boolean;
}

interface Measured {
  name: string;
  sizes: TurnSize[];
}

const AIM = 0.3;
const HELP = `Measures the tokens of every question that the model planner asks in a long run.

  npm run bench:prompt -- [options]

  --turns <n>     how long the runs are (default 60)
  --json          print one JSON object instead of tables
  --help          this text

First the text of the page alone, beside Playwright's ariaSnapshot({ mode: "ai" }) of it. Then the whole question: rules, task,
tools, history, notebook and page. Beside it stand
  newest     the same question with that snapshot in place of our text of the page
  kept       a conversation that keeps every such snapshot, with the same rules, task and tools
Tokens are estimated alike for all of them. The aim, at most ${AIM}, is for the whole run against "kept".
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      turns: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const turns = Number(values.turns);
  if (!Number.isInteger(turns) || turns < 1 || turns > 500) throw new Error("--turns is a number from 1 to 500.");
  return { turns, json: values.json };
}

async function run({ turns }: Options, signal: AbortSignal): Promise<Measured[]> {
  await using shop = await startDemoShop({});
  const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
  if (located === null) throw new Error("No browser was found: scripts/bootstrap --browser installs one.");
  const browser = await chromium.launch({ executablePath: located.path, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const measured: Measured[] = [];
    for (const walk of [SHOP_WALK, TABLE_WALK]) {
      signal.throwIfAborted();
      showProgress(`${walk.name}, ${turns} turns`);
      measured.push({ name: walk.name, sizes: await measureWalk(walk, await browser.newPage(), shop.url, turns) });
    }
    return measured;
  } finally {
    await browser.close();
  }
}

function format(measured: Measured[]): string {
  const head = [
    "run",
    "turn",
    "page",
    "Playwright",
    "ratio",
    "question",
    "of it lasting",
    "newest",
    "ratio",
    "kept",
    "ratio",
  ];
  const rows = measured.flatMap(({ name, sizes }) => {
    const shown = [1, 10, 30, sizes.length].filter(
      (turn, index, all) => turn <= sizes.length && all.indexOf(turn) === index,
    );
    return [...shown.map((turn) => toRow(name, String(turn), sizes.slice(turn - 1, turn))), toRow(name, "all", sizes)];
  });
  return `${formatTable(head, rows)}\n\n${measured.map(judge).join("\n")}\n`;
}

function toRow(name: string, turn: string, sizes: readonly TurnSize[]): string[] {
  const { ours, lasting, withSnapshot, conversation, page, snapshot } = sum(sizes);
  const ratio = (other: number) => (ours / other).toFixed(2);
  return [
    name,
    turn,
    String(page),
    String(snapshot),
    (page / snapshot).toFixed(2),
    String(ours),
    String(lasting),
    String(withSnapshot),
    ratio(withSnapshot),
    String(conversation),
    ratio(conversation),
  ];
}

function sum(sizes: readonly TurnSize[]): TurnSize {
  return sizes.reduce((total, size) => ({
    ours: total.ours + size.ours,
    lasting: total.lasting + size.lasting,
    page: total.page + size.page,
    snapshot: total.snapshot + size.snapshot,
    withSnapshot: total.withSnapshot + size.withSnapshot,
    conversation: total.conversation + size.conversation,
  }));
}

function judge({ name, sizes }: Measured): string {
  const { ours, conversation } = sum(sizes);
  const isMet = ours <= AIM * conversation;
  if (!isMet) process.exitCode = 1;
  return `${name}: ${(ours / conversation).toFixed(2)} of what keeping every snapshot costs; the aim of ${AIM} is ${isMet ? "met" : "NOT met"}.`;
}

await runCommand({ help: HELP, readOptions, run, format });
