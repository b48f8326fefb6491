/** The tokens of a long run, turn by turn: `npm run bench:prompt -- --help`. */
import { parseArgs } from "node:util";
import { startDemoShop } from "../demo/shop.ts";
import { launchBrowser } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { formatTable } from "./harness/report.ts";
import { measureOrder, type OrderCost } from "./prompt/order.ts";
import { measureWalk, SHOP_WALK, TABLE_WALK, type TurnSize } from "./prompt/walk.ts";

interface Options {
  turns: number;
  json: boolean;
}

interface Measured {
  walks: MeasuredWalk[];
  order: { batched: OrderCost; single: OrderCost };
}

interface MeasuredWalk {
  name: string;
  sizes: TurnSize[];
}

const TARGET = 0.3;
const ORDER_TARGET = 15_000;
const HELP = `Measures the tokens of every request that the model planner sends in a long run, with a scripted model.

  npm run bench:prompt -- [options]

  --turns <n>     number of turns on each site (default 60)
  --json          print one JSON object instead of tables
  --help          show this help

Columns:
  page             our observation of the page
  snapshot         Playwright's ariaSnapshot({ mode: "ai" }) of the page
  request          the whole request: rules, task, tools, history, notebook and page
  of which stable  rules, task and tools, which providers can cache
  with snapshot    the same request with Playwright's snapshot instead of our observation
  conversation     a conversation that keeps every snapshot, with the same rules, task and tools
Tokens are estimated the same way for all of them; the estimate is 5 to 20 % above what common tokenizers count. The
target is at most ${TARGET} for the whole run compared with the conversation; the command fails if it is missed.

Then the eight-step errand of bench:execution runs in the real service, and all its requests are counted, those of the
verifier included: once with actions that belong together in one turn, and once with one action a turn. The target for
the first is ${ORDER_TARGET} tokens.
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
  return { turns: readWholeNumber("--turns", values.turns, { max: 500 }), json: values.json };
}

async function run({ turns }: Options, signal: AbortSignal): Promise<Measured> {
  showProgress("An errand of eight steps");
  const order = { batched: await measureOrder(true, signal), single: await measureOrder(false, signal) };
  return { walks: await measureWalks(turns, signal), order };
}

async function measureWalks(turns: number, signal: AbortSignal): Promise<MeasuredWalk[]> {
  await using shop = await startDemoShop({});
  const browser = await launchBrowser();
  try {
    const measured: MeasuredWalk[] = [];
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

function format({ walks, order }: Measured): string {
  const tables = [formatTurns(walks), formatRatios(walks), walks.map(formatVerdict).join("\n"), formatOrder(order)];
  return `${tables.join("\n\n")}\n`;
}

function formatOrder({ batched, single }: Measured["order"]): string {
  const row = (name: string, { requests, tokens, rulesAndTools, cacheable }: OrderCost) => [
    name,
    String(requests),
    String(tokens),
    String(rulesAndTools),
    `${Math.round(cacheable * 100)} %`,
  ];
  return formatTable(
    ["eight steps", "requests", "tokens", "rules and tools of one", "cacheable, of the planner's"],
    [row("actions together where possible", batched), row("one action a turn", single)],
  );
}

function formatTurns(measured: MeasuredWalk[]): string {
  const rows = measured.flatMap(({ name, sizes }) => {
    const shown = [1, 10, 30, sizes.length].filter(
      (turn, index, all) => turn <= sizes.length && all.indexOf(turn) === index,
    );
    return [...shown.map((turn) => toRow(name, String(turn), sizes.slice(turn - 1, turn))), toRow(name, "all", sizes)];
  });
  return formatTable(
    ["tokens", "turn", "page", "snapshot", "request", "of which stable", "with snapshot", "conversation"],
    rows,
  );
}

function toRow(name: string, turn: string, sizes: readonly TurnSize[]): string[] {
  const { request, stable, withSnapshot, conversation, page, snapshot } = sum(sizes);
  return [name, turn, ...[page, snapshot, request, stable, withSnapshot, conversation].map(String)];
}

function formatRatios(measured: MeasuredWalk[]): string {
  const totals = measured.map(({ sizes }) => sum(sizes));
  const row = (name: string, ratio: (size: TurnSize) => number) => [
    name,
    ...totals.map((size) => ratio(size).toFixed(2)),
  ];
  return formatTable(
    ["ratio over all turns", ...measured.map(({ name }) => name)],
    [
      row("the page alone ÷ Playwright's snapshot of it", ({ page, snapshot }) => page / snapshot),
      row("the whole request ÷ the same with that snapshot", ({ request, withSnapshot }) => request / withSnapshot),
      row(
        "the whole run ÷ a conversation that keeps every snapshot",
        ({ request, conversation }) => request / conversation,
      ),
    ],
  );
}

function sum(sizes: readonly TurnSize[]): TurnSize {
  return sizes.reduce((total, size) => ({
    request: total.request + size.request,
    stable: total.stable + size.stable,
    page: total.page + size.page,
    snapshot: total.snapshot + size.snapshot,
    withSnapshot: total.withSnapshot + size.withSnapshot,
    conversation: total.conversation + size.conversation,
  }));
}

function formatVerdict({ name, sizes }: MeasuredWalk): string {
  const { request, conversation } = sum(sizes);
  const isMet = request <= TARGET * conversation;
  return `${name}: ${(request / conversation).toFixed(2)} of the cost of keeping every snapshot; the target of ${TARGET} is ${isMet ? "met" : "NOT met"}.`;
}

function findFailures({ walks }: Measured): string[] {
  return walks.flatMap(({ name, sizes }) => {
    const { request, conversation } = sum(sizes);
    return request > TARGET * conversation ? [`${name}: the target of ${TARGET} is missed.`] : [];
  });
}

await runCommand({ help: HELP, readOptions, run, format, findFailures });
