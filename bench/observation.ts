/** The cost of observing a page, compared with Playwright's own snapshot: `npm run bench:observation -- --help`. */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { startDemoShop } from "../demo/shop.ts";
import { OPEN_SHADOW_ROOTS, RECORD_LISTENERS } from "../src/browser/observation/in-page/init-scripts.ts";
import { type Observation, walk } from "../src/browser/observation/observation.ts";
import { findNodes } from "../src/browser/observation/observation-text.ts";
import { createPageObserver } from "../src/browser/observation/page-observer.ts";
import { renderObservation } from "../src/browser/observation/rendering/render-observation.ts";
import { estimateTokens } from "../src/lib/estimate-tokens.ts";
import { installPackages } from "../test/_harness/packages.ts";
import { bundlePage } from "../test/spa/_bundle.ts";
import { launchBrowser } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { formatTable, median } from "./harness/report.ts";
import { writeFormPage, writeTablePage } from "./harness/table-page.ts";

interface Options {
  folders: string[];
  urls: string[];
  /** Whether the pages of test/spa are measured as well. */
  spa: boolean;
  rounds: number;
  rows: number;
  fields: number;
  json: boolean;
}

interface Measured {
  name: string;
  tokens: number;
  snapshotTokens: number;
  ms: number;
  snapshotMs: number;
  /** Actionable elements, and those of them that are neither in the text nor reachable by `find`. */
  targets: number;
  unreachable: number;
}

const SPA_PAGES = [
  "combobox-mantine",
  "combobox-mui",
  "combobox-react-select",
  "combobox-select2",
  "dates-mantine",
  "drag-xyflow",
  "modals",
  "quill",
  "toggles",
  "vue-form",
];
const SPA_FOLDER = join(import.meta.dirname, "../test/spa");
/** A page that scripts render is complete some time after it has loaded. */
const RENDER_MS = 1000;
const MAX_DOCUMENTS = 12;
const TARGET = 0.5;
/** The header of an observation alone has about 50 tokens. Smaller pages have no target; their ratio is printed. */
const MIN_TOKENS = 500;
const HELP = `Measures the tokens and the time of observing a page, compared with Playwright's ariaSnapshot({ mode: "ai" }).

  npm run bench:observation -- [options] [FOLDER | URL]...

  FOLDER          a folder of .html files to observe as well
  URL             a page that is running somewhere, as of a single-page application
  --spa           the pages of component libraries in test/spa as well
  --rounds <n>    observations of each page (default 7)
  --rows <n>      rows of the large table (default 1000)
  --fields <n>    fields of the large form (default 5000)
  --json          print one JSON object instead of a table
  --help          show this help

Pages: the demo shop, a large table, a large form, and the first ${MAX_DOCUMENTS} files of each FOLDER. The command
fails if a page of ${MIN_TOKENS} tokens or more takes more than ${TARGET} of them, or if an actionable element is neither in the text nor reachable by \`find\`.
`;

function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "7" },
      rows: { type: "string", default: "1000" },
      fields: { type: "string", default: "5000" },
      spa: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const rounds = readWholeNumber("--rounds", values.rounds, { max: 100 });
  const urls = positionals.filter((one) => /^https?:/.test(one));
  const folders = positionals.filter((one) => !urls.includes(one));
  const rows = readWholeNumber("--rows", values.rows, { max: 100_000 });
  const fields = readWholeNumber("--fields", values.fields, { max: 100_000 });
  return { folders, urls, spa: values.spa, rounds, rows, fields, json: values.json };
}

async function run({ folders, urls, spa, rounds, rows, fields }: Options, signal: AbortSignal): Promise<Measured[]> {
  await using shop = await startDemoShop({});
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    for (const content of [OPEN_SHADOW_ROOTS, RECORD_LISTENERS]) await page.addInitScript({ content });
    const measured: Measured[] = [];
    for (const path of ["/", "/products", "/products?view=grid", "/products/brindle-kettle", "/contact", "/sign-in"]) {
      signal.throwIfAborted();
      await page.goto(shop.url + path);
      measured.push(await measure(page, `shop ${path}`, rounds));
    }
    await page.setContent(writeTablePage(rows));
    measured.push(await measure(page, `table of ${rows.toLocaleString("en")} rows`, rounds));
    await page.setContent(writeFormPage(fields));
    measured.push(await measure(page, `form of ${fields.toLocaleString("en")} fields`, rounds));
    for (const { name, url } of [...(spa ? await serveSpaPages(page) : []), ...(await listPages(folders, urls))]) {
      signal.throwIfAborted();
      await page.goto(url, { waitUntil: "load" });
      await page.waitForTimeout(RENDER_MS);
      measured.push(await measure(page, name, rounds));
    }
    return measured;
  } finally {
    await browser.close();
  }
}

interface NamedPage {
  name: string;
  url: string;
}

async function listPages(folders: string[], urls: string[]): Promise<NamedPage[]> {
  const documents = await Promise.all(folders.map(listDocuments));
  return [...documents.flat(), ...urls.map((url) => ({ name: url, url }))];
}

async function listDocuments(folder: string): Promise<NamedPage[]> {
  const files = await readdir(folder, { recursive: true });
  return files
    .filter((file) => /\.html?$/.test(file))
    .toSorted()
    .slice(0, MAX_DOCUMENTS)
    .map((file) => ({ name: file, url: pathToFileURL(resolve(join(folder, file))).href }));
}

/** Builds the pages that need no server of their own. The browser gets their files without one. */
async function serveSpaPages(page: Page): Promise<NamedPage[]> {
  const pages: NamedPage[] = [];
  await installPackages(SPA_FOLDER);
  for (const name of SPA_PAGES) {
    showProgress(`building ${name}`);
    const folder = await bundlePage(name);
    const url = `http://${name}.test/`;
    await page.route(`${url}**`, (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname.replace(/\/$/, "/index.html")) }),
    );
    pages.push({ name, url });
  }
  return pages;
}

/** The two alternate, so that other load on the machine affects both alike. The first round only warms up. */
async function measure(page: Page, name: string, rounds: number): Promise<Measured> {
  showProgress(name);
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
  if (observation === null) throw new Error("The page was not observed.");
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

function checkReach(observation: Observation): Pick<Measured, "targets" | "unreachable"> {
  const shown = new Set(renderObservation(observation).match(/\b(?:f\d+)?[ec]\d+\b/g) ?? []);
  const targets = [...walk(observation.root)].map(({ node }) => node).filter(({ ref }) => ref !== null);
  const hidden = targets.filter(({ ref }) => ref !== null && !shown.has(ref));
  // `find` returns all elements of a name together, so each name is searched for once.
  const found = new Set(
    [...new Set(hidden.map(({ name, role }) => name || role))].flatMap((query) =>
      findNodes(observation, query).map(({ node }) => node.ref),
    ),
  );
  return { targets: targets.length, unreachable: hidden.filter(({ ref }) => !found.has(ref)).length };
}

function format(measured: Measured[]): string {
  const rows = measured.map(({ name, tokens, snapshotTokens, ms, snapshotMs, unreachable }) => [
    name,
    String(tokens),
    String(snapshotTokens),
    (tokens / snapshotTokens).toFixed(2),
    ms.toFixed(0),
    snapshotMs.toFixed(0),
    (ms / snapshotMs).toFixed(2),
    String(unreachable),
  ]);
  return `${formatTable(["page", "tokens", "Playwright", "ratio", "ms", "Playwright", "ratio", "unreachable"], rows)}\n`;
}

function findFailures(measured: Measured[]): string[] {
  return measured.flatMap(({ name, tokens, snapshotTokens, unreachable }) => [
    ...(snapshotTokens >= MIN_TOKENS && tokens > TARGET * snapshotTokens
      ? [`${name}: more than ${TARGET} of the tokens.`]
      : []),
    ...(unreachable > 0 ? [`${name}: ${unreachable} elements are unreachable.`] : []),
  ]);
}

await runCommand({ help: HELP, readOptions, run, format, findFailures });
