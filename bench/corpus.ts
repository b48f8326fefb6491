/** Tasks on real web applications, without a model or with a scripted one: `npm run bench:corpus -- --help`. */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Application, Prompt } from "./corpus/application.ts";
import { adminer } from "./corpus/applications/adminer.ts";
import { decap } from "./corpus/applications/decap.ts";
import { dokuwiki } from "./corpus/applications/dokuwiki.ts";
import { fossil } from "./corpus/applications/fossil.ts";
import { hledger } from "./corpus/applications/hledger.ts";
import { homebridge } from "./corpus/applications/homebridge.ts";
import { maildev } from "./corpus/applications/maildev.ts";
import { thelounge } from "./corpus/applications/thelounge.ts";
import { tiddlywiki } from "./corpus/applications/tiddlywiki.ts";
import { verdaccio } from "./corpus/applications/verdaccio.ts";
import { judge } from "./corpus/judge.ts";
import { type ApplicationSet, CACHE, installPackages } from "./corpus/packages.ts";
import { formatReport, type Report, type Result, summarize } from "./corpus/report.ts";
import { type Running, startApplication } from "./corpus/running.ts";
import { type ScriptedModel, startScriptedModel } from "./corpus/scripted-model.ts";
import { type CorpusService, openService } from "./corpus/service.ts";
import { runCommand, showProgress } from "./harness/command.ts";

interface Options {
  set: ApplicationSet;
  applications: readonly Application[];
  ids: readonly string[] | null;
  setupOnly: boolean;
  out: string;
  transcripts: string | null;
  json: boolean;
}

const SETS: Readonly<Record<ApplicationSet, readonly Application[]>> = {
  steps: [adminer, dokuwiki, fossil, hledger, maildev, tiddlywiki, verdaccio],
  spa: [decap, homebridge, thelounge],
};

const HELP = `Runs tasks on real web applications, and checks each against the application's own data.

  npm run bench:corpus -- [options]

  --set <name>   steps (default): explicit prompts without a model, on ${listNames("steps")}
                 spa: single-page applications, with a scripted model over the OpenAI protocol, on ${listNames("spa")}
  --setup        only install the applications of the set, in the versions of bench/corpus/manifest.json
  --app <list>   only these applications of the set, separated by commas
  --only <list>  only these prompts, separated by commas
  --out <file>   where to write every result as JSON lines (default: results.jsonl in the cache folder)
  --transcripts <folder>  where to write what the scripted model was shown and what it did, and the service's log
  --json         print one JSON object instead of a table
  --help         show this help

The scripted model does what a careful person would do, and sees nothing but what a model is shown. Its judge agrees only with
what a fresh browser shows.

The applications are installed below $XDG_CACHE_HOME/errand-corpus (default: ~/.cache), from npm and Debian 12. They run on
loopback with data of their own, which is put back before every prompt. The command fails if a verified result is wrong.
`;

function listNames(set: ApplicationSet): string {
  return SETS[set].map(({ name }) => name).join(", ");
}

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      set: { type: "string", default: "steps" },
      setup: { type: "boolean", default: false },
      app: { type: "string" },
      only: { type: "string" },
      out: { type: "string", default: join(CACHE, "results.jsonl") },
      transcripts: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const { set } = values;
  if (set !== "steps" && set !== "spa") throw new Error(`There is no set ${set}. Run this with --help for the list.`);
  const names = values.app?.split(",") ?? null;
  const unknown = names?.find((name) => !SETS[set].some((application) => application.name === name));
  if (unknown !== undefined) throw new Error(`There is no application ${unknown}. Run this with --help for the list.`);
  return {
    set,
    applications: SETS[set].filter(({ name }) => names?.includes(name) ?? true),
    ids: values.only?.split(",") ?? null,
    setupOnly: values.setup,
    out: values.out,
    transcripts: values.transcripts ?? null,
    json: values.json,
  };
}

async function run(options: Options, signal: AbortSignal): Promise<Report> {
  const { set, applications, ids, setupOnly, out, transcripts } = options;
  await installPackages(set, showProgress);
  if (setupOnly) return summarize([], 0);
  const startedMs = performance.now();
  const results: Result[] = [];
  await mkdir(join(out, ".."), { recursive: true });
  await writeFile(out, "");
  if (transcripts !== null) await mkdir(transcripts, { recursive: true });
  for (const application of applications) {
    const prompts = application.prompts.filter(({ id }) => ids?.includes(id) ?? true);
    if (prompts.length === 0) continue;
    await using parts = new AsyncDisposableStack();
    const root = await mkdtemp(join(tmpdir(), "errand-corpus-"));
    parts.defer(() => rm(root, { recursive: true, force: true }));
    showProgress(`Starting ${application.name}`);
    const running = parts.use(await startApplication(application, root, signal));
    const model = set === "spa" ? parts.use(await startScriptedModel()) : null;
    const allowHosts = [running.front.host];
    const logFile = transcripts === null ? null : join(transcripts, `${application.name}.log`);
    const service = parts.use(await openService({ allowHosts, modelUrl: model?.url ?? null, logFile }, signal));
    for (const prompt of prompts) {
      signal.throwIfAborted();
      const result = await runPrompt(prompt, { application, running, service, model, transcripts, signal });
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
  model: ScriptedModel | null;
  transcripts: string | null;
  signal: AbortSignal;
}

async function runPrompt(prompt: Prompt, context: Context): Promise<Result> {
  const { application, running, service, model, transcripts, signal } = context;
  const before = await running.prepare(prompt);
  const played = prompt.model === undefined ? null : (model?.play(prompt.model) ?? null);
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
  const reason = execution.error?.message ?? execution.terminal?.reason ?? "";
  if (played !== null && transcripts !== null) {
    await writeFile(join(transcripts, `${application.name}-${prompt.id}.txt`), `${played.transcript()}\n${reason}\n`);
  }
  return {
    application: application.name,
    id: prompt.id,
    prompt: prompt.prompt,
    obstacle: prompt.expect.kind === "impossible" ? prompt.expect.why : null,
    grade,
    status: execution.terminal?.status ?? "",
    reason: played?.problem() ?? reason,
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
