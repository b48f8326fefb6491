/** What holding a request costs, compared with a browser that holds none: `npm run bench:gate -- --help`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { Gate } from "../src/agent/gate/gate.ts";
import { TaskSecrets } from "../src/agent/task-secrets.ts";
import { EMPTY_NODE, type Observation } from "../src/browser/observation/observation.ts";
import { interceptWrites, type RequestGate } from "../src/browser/session/write-interceptor.ts";
import { CostMeter } from "../src/models/usage.ts";
import { launchBrowser } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { formatTable, median, quantile } from "./harness/report.ts";

interface Options {
  requests: number;
  json: boolean;
}

interface Result {
  /** Milliseconds of one request as the page sees it. */
  bareMs: number;
  gatedMs: number;
  addedMs: number;
  /** Of the decision alone. */
  decisionMs: { median: number; p99: number };
}

const TARGET_MS = 30;
const ROUNDS = 5;
const HELP = `Sends requests from a page, in a browser with the gate and in one without, in alternating rounds.

  npm run bench:gate -- [options]

  --requests <n>   requests in each of ${ROUNDS} rounds (default 200)
  --json           print one JSON object instead of a table
  --help           show this help

The command fails if the gate adds more than ${TARGET_MS} ms to a request that passes.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "200" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return { requests: readWholeNumber("--requests", values.requests, { max: 5_000 }), json: values.json };
}

async function run({ requests }: Options): Promise<Result> {
  await using site = await startSite();
  await using bare = await openPage(site.url, null);
  const decisions: number[] = [];
  const gate = await openGate(site.url);
  const timed: RequestGate = (request) => {
    const startedMs = performance.now();
    const decision = gate.decide(request);
    decisions.push(performance.now() - startedMs);
    return decision;
  };
  await using gated = await openPage(site.url, timed);
  const times: { bare: number[]; gated: number[] } = { bare: [], gated: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    showProgress(round === 0 ? "Warming up" : `Round ${round} of ${ROUNDS}`);
    const [one, other] = [await send(bare.page, requests), await send(gated.page, requests)];
    if (round > 0) {
      times.bare.push(one);
      times.gated.push(other);
    }
  }
  const [bareMs, gatedMs] = [median(times.bare), median(times.gated)];
  const decisionMs = { median: median(decisions), p99: quantile(decisions, 0.99) };
  return { bareMs, gatedMs, addedMs: gatedMs - bareMs, decisionMs };
}

/** A gate in the middle of a task, after an action that was agreed to. */
async function openGate(url: string): Promise<Gate> {
  const prompt = "Save my notes.";
  const gate = new Gate({
    task: { prompt, startUrl: url, outputSchema: null, now: new Date() },
    secrets: new TaskSecrets(prompt),
    direction: { isExplicit: true, isQuestion: false, judge: null, recorded: null },
    people: null,
    meter: new CostMeter(1),
    takePicture: async () => null,
    observe: async () => page,
  });
  const page: Observation = {
    url,
    title: "Notes",
    root: { ...EMPTY_NODE, role: "document" },
    tabs: [],
    fingerprint: url,
    number: 1,
    viewport: { width: 1_280, height: 800 },
    scroll: { y: 0, pageHeight: 800 },
    dialog: null,
  };
  await gate.admit({ action: "click", input: { label: "Save" } }, page, new AbortController().signal);
  return gate;
}

async function openPage(url: string, gate: RequestGate | null): Promise<AsyncDisposable & { page: Page }> {
  const browser: Browser = await launchBrowser();
  if (gate !== null) await interceptWrites(browser, { gate, isStrict: false, onWrite: () => () => {} });
  const page = await browser.newPage();
  await page.goto(url);
  return { page, [Symbol.asyncDispose]: () => browser.close() };
}

/** Milliseconds per request. Each carries something else, as notes do. */
function send(page: Page, requests: number): Promise<number> {
  return page.evaluate(async (count) => {
    const startedMs = performance.now();
    for (let number = 0; number < count; number += 1) {
      const body = JSON.stringify({
        title: `Note ${number}`,
        text: "All work and no play. ".repeat(20),
        at: Math.random(),
      });
      await fetch("/notes", { method: "PUT", body, headers: { "content-type": "application/json" } });
    }
    return (performance.now() - startedMs) / count;
  }, requests);
}

async function startSite(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", request.method === "GET" ? "text/html" : "text/plain");
    response.end(request.method === "GET" ? "<title>Notes</title>" : "ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function format({ bareMs, gatedMs, addedMs, decisionMs }: Result): string {
  const show = (ms: number) => ms.toFixed(2);
  const rows = [
    ["a request without the gate", show(bareMs)],
    ["with it", show(gatedMs)],
    ["added", show(addedMs)],
    ["of which the decision, median", show(decisionMs.median)],
    ["of which the decision, 99 %", show(decisionMs.p99)],
  ];
  return `${formatTable(["", "ms"], rows)}\n`;
}

await runCommand({
  help: HELP,
  readOptions,
  run,
  format,
  findFailures: ({ addedMs }) => (addedMs <= TARGET_MS ? [] : [`The gate adds more than ${TARGET_MS} ms.`]),
});
