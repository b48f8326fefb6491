/** What a look at a page costs, next to Playwright's own snapshot: `npm run bench:observation -- --help`. */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { startDemoShop } from "../demo/shop.ts";
import { type Observation, walk } from "../src/browser/observation/observation.ts";
import { findNodes } from "../src/browser/observation/observation-text.ts";
import { createPageObserver } from "../src/browser/observation/page-observer.ts";
import { renderObservation } from "../src/browser/observation/rendering/render-observation.ts";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../src/config/env.ts";
import { estimateTokens } from "../src/lib/estimate-tokens.ts";

interface Options {
  folder: string | null;
  rounds: number;
  json: boolean;
}

interface Measured {
  name: string;
  tokens: number;
  snapshotTokens: number;
  ms: number;
  snapshotMs: number;
  /** Things that can be acted on, and those of them that are neither told nor found. */
  targets: number;
  unreachable: number;
}

const MAX_DOCUMENTS = 12;
const MOST_TOKENS = 0.5;
const HELP = `Measures tokens and time of a look at a page, next to Playwright's ariaSnapshot({ mode: "ai" }).

  npm run bench:observation -- [options] [folder of .html files]

  --rounds <n>    how often each page is looked at (default 7)
  --json          print one JSON object instead of a table
  --help          this text

Pages: the demo shop, a table of 1,000 rows, and the ${MAX_DOCUMENTS} first files of the folder. Fails when a page costs more than
${MOST_TOKENS} of the tokens, or when something that can be acted on is neither told nor found.
`;

function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "7" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error("--rounds is a number from 1 to 100.");
  return { folder: positionals[0] ?? null, rounds, json: values.json };
}

async function run({ folder, rounds }: Options): Promise<Measured[]> {
  await using shop = await startDemoShop({});
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const measured: Measured[] = [];
    for (const path of ["/", "/products", "/products?view=grid", "/products/brindle-kettle", "/contact", "/sign-in"]) {
      await page.goto(shop.url + path);
      measured.push(await measure(page, `shop ${path}`, rounds));
    }
    await page.setContent(writeTable(1000));
    measured.push(await measure(page, "table of 1,000 rows", rounds));
    for (const file of folder === null ? [] : await listDocuments(folder)) {
      await page.goto(pathToFileURL(file).href);
      measured.push(await measure(page, file.slice(resolve(folder ?? "").length + 1), rounds));
    }
    return measured;
  } finally {
    await browser.close();
  }
}

async function launch(): Promise<Browser> {
  const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
  if (located === null) throw new Error("No browser was found: scripts/bootstrap --browser installs one.");
  return chromium.launch({ executablePath: located.path, args: ["--no-sandbox", "--disable-gpu"] });
}

function writeTable(rows: number): string {
  const cells = (row: number) =>
    `<td><input type="checkbox" aria-label="Choose ${row}"></td><td><a href="/orders/${row}">Order ${row}</a></td>
     <td>customer-${row}@example.com</td><td>€${(row * 7.35).toFixed(2)}</td><td><button>Refund ${row}</button></td>`;
  const body = Array.from({ length: rows }, (_, row) => `<tr>${cells(row + 1)}</tr>`).join("");
  return `<title>Orders</title><h1>Orders</h1><table><tr><th></th><th>Order</th><th>Customer</th><th>Total</th><th></th></tr>${body}</table>`;
}

async function listDocuments(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files
    .filter((file) => /\.html?$/.test(file))
    .toSorted()
    .slice(0, MAX_DOCUMENTS)
    .map((file) => resolve(join(folder, file)));
}

/** Both by turns, so that what else the machine does hits them alike. The first look of each only warms up. */
async function measure(page: Page, name: string, rounds: number): Promise<Measured> {
  process.stderr.write(`${name} …\n`);
  const observer = createPageObserver(page);
  const ours: number[] = [];
  const theirs: number[] = [];
  let snapshot = "";
  let observation: Observation | null = null;
  for (let round = 0; round <= rounds; round++) {
    theirs.push(await time(async () => (snapshot = await page.ariaSnapshot({ mode: "ai" }))));
    ours.push(
      await time(async () => {
        const view = await observer.observe(AbortSignal.timeout(60_000));
        observation = { ...view, number: round, tabs: [], dialog: null };
        renderObservation(observation);
      }),
    );
  }
  if (observation === null) throw new Error("no look was taken");
  return {
    name,
    tokens: estimateTokens(renderObservation(observation)),
    snapshotTokens: estimateTokens(snapshot),
    ms: median(ours.slice(1)),
    snapshotMs: median(theirs.slice(1)),
    ...checkReach(observation),
  };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function checkReach(observation: Observation): Pick<Measured, "targets" | "unreachable"> {
  const told = new Set(renderObservation(observation).match(/\b(?:f\d+)?[ec]\d+\b/g) ?? []);
  const targets = [...walk(observation.root)].map(({ node }) => node).filter(({ ref }) => ref !== null);
  const hidden = targets.filter(({ ref }) => ref !== null && !told.has(ref));
  // Things of one name are found together, so each name is looked for once.
  const found = new Set(
    [...new Set(hidden.map(({ name, role }) => name || role))].flatMap((query) =>
      findNodes(observation, query).map(({ node }) => node.ref),
    ),
  );
  return { targets: targets.length, unreachable: hidden.filter(({ ref }) => !found.has(ref)).length };
}

function format(measured: Measured[]): string {
  const head = "| page | tokens | Playwright | ratio | ms | Playwright | ratio | to act on | out of reach |";
  const lines = measured.map(({ name, tokens, snapshotTokens, ms, snapshotMs, targets, unreachable }) => {
    const ratio = (tokens / snapshotTokens).toFixed(2);
    const cells = [
      name,
      tokens,
      snapshotTokens,
      ratio,
      ms.toFixed(0),
      snapshotMs.toFixed(0),
      (ms / snapshotMs).toFixed(2),
    ];
    return `| ${[...cells, targets, unreachable].join(" | ")} |`;
  });
  return [head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|", ...lines, ""].join("\n");
}

function findFailures(measured: Measured[]): string[] {
  return measured.flatMap(({ name, tokens, snapshotTokens, unreachable }) => [
    ...(tokens > MOST_TOKENS * snapshotTokens ? [`${name}: more than ${MOST_TOKENS} of the tokens`] : []),
    ...(unreachable > 0 ? [`${name}: ${unreachable} things are out of reach`] : []),
  ]);
}

async function main(args: string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options === null) return void process.stdout.write(HELP);
    const measured = await run(options);
    process.stdout.write(options.json ? `${JSON.stringify(measured)}\n` : format(measured));
    const failures = findFailures(measured);
    if (failures.length > 0) throw new Error(failures.join("\n"));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
