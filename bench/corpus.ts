/** What runs without a model, on real web applications: `npm run bench:corpus -- --help`. */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Application, Prompt } from "./corpus/application.ts";
import { adminer } from "./corpus/applications/adminer.ts";
import { dokuwiki } from "./corpus/applications/dokuwiki.ts";
import { fossil } from "./corpus/applications/fossil.ts";
import { hledger } from "./corpus/applications/hledger.ts";
import { maildev } from "./corpus/applications/maildev.ts";
import { tiddlywiki } from "./corpus/applications/tiddlywiki.ts";
import { verdaccio } from "./corpus/applications/verdaccio.ts";
import { judge } from "./corpus/judge.ts";
import { CACHE, installPackages } from "./corpus/packages.ts";
import { formatReport, type Report, type Result, summarize } from "./corpus/report.ts";
import { type Running, startApplication } from "./corpus/running.ts";
import { type CorpusService, openService } from "./corpus/service.ts";
import { runCommand, showProgress } from "./harness/command.ts";

interface Options {
  applications: readonly Application[];
  ids: readonly string[] | null;
  setupOnly: boolean;
  out: string;
  json: boolean;
}

const APPLICATIONS: readonly Application[] = [adminer, dokuwiki, fossil, hledger, maildev, tiddlywiki, verdaccio];
const HELP = `Runs explicit prompts on real web applications without a model, and checks each against the application's own data.

  npm run bench:corpus -- [options]

  --setup        only install the applications, in the versions of bench/corpus/manifest.json
  --app <list>   only these applications, separated by commas: ${APPLICATIONS.map(({ name }) => name).join(", ")}
  --only <list>  only these prompts, separated by commas
  --out <file>   where to write every result as JSON lines (default: results.jsonl in the cache folder)
  --json         print one JSON object instead of a table
  --help         show this help

The applications are installed below $XDG_CACHE_HOME/errand-corpus (default: ~/.cache), from npm and Debian 12. They run on
loopback with data of their own, which is put back before every prompt. The command fails if a verified result is wrong.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      setup: { type: "boolean", default: false },
      app: { type: "string" },
      only: { type: "string" },
      out: { type: "string", default: join(CACHE, "results.jsonl") },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const names = values.app?.split(",") ?? null;
  const unknown = names?.find((name) => !APPLICATIONS.some((application) => application.name === name));
  if (unknown !== undefined) throw new Error(`There is no application ${unknown}. Run this with --help for the list.`);
  return {
    applications: APPLICATIONS.filter(({ name }) => names?.includes(name) ?? true),
    ids: values.only?.split(",") ?? null,
    setupOnly: values.setup,
    out: values.out,
    json: values.json,
  };
}

async function run({ applications, ids, setupOnly, out }: Options, signal: AbortSignal): Promise<Report> {
  await installPackages(showProgress);
  if (setupOnly) return summarize([], 0);
  const startedMs = performance.now();
  const results: Result[] = [];
  await mkdir(join(out, ".."), { recursive: true });
  await writeFile(out, "");
  for (const application of applications) {
    const prompts = application.prompts.filter(({ id }) => ids?.includes(id) ?? true);
    if (prompts.length === 0) continue;
    await using parts = new AsyncDisposableStack();
    const root = await mkdtemp(join(tmpdir(), "errand-corpus-"));
    parts.defer(() => rm(root, { recursive: true, force: true }));
    showProgress(`Starting ${application.name}`);
    const running = parts.use(await startApplication(application, root, signal));
    const service = parts.use(await openService([running.front.host], signal));
    for (const prompt of prompts) {
      signal.throwIfAborted();
      const result = await runPrompt(prompt, { application, running, service, signal });
      results.push(result);
      await appendFile(out, `${JSON.stringify(result)}\n`);
      showProgress(`${application.name}/${prompt.id}: ${result.grade} (${result.status})`);
    }
  }
  return summarize(results, (performance.now() - startedMs) / 60_000);
}

interface Context {
  application: Application;
  running: Running;
  service: CorpusService;
  signal: AbortSignal;
}

async function runPrompt(prompt: Prompt, { application, running, service, signal }: Context): Promise<Result> {
  const before = await running.prepare(prompt);
  const startedMs = performance.now();
  const execution = await service.run(
    {
      prompt: prompt.prompt,
      start_url: `${running.front.url}${prompt.start}`,
      ...(prompt.schema !== undefined && { output_schema: prompt.schema }),
    },
    signal,
  );
  const milliseconds = Math.round(performance.now() - startedMs);
  const { grade, problems } = judge(prompt.expect, { execution, before, after: await running.snapshot() });
  return {
    application: application.name,
    id: prompt.id,
    prompt: prompt.prompt,
    obstacle: prompt.expect.kind === "impossible" ? prompt.expect.why : null,
    grade,
    status: execution.terminal?.status ?? "",
    reason: execution.error?.message ?? execution.terminal?.reason ?? "",
    answer: execution.result?.final_text ?? null,
    extracted: execution.result?.extracted ?? null,
    problems,
    milliseconds,
  };
}

function findFailures({ all }: Report): string[] {
  return all.falseSuccesses === 0 ? [] : [`${all.falseSuccesses} verified results are wrong.`];
}

await runCommand({ help: HELP, readOptions, run, format: formatReport, findFailures });
