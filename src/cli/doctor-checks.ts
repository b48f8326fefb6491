import { existsSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredBrowsers } from "../app/configured-browsers.ts";
import { adviseOnDatabase } from "../app/database-advice.ts";
import {
  checkArtifacts,
  checkBrowser,
  checkDatabase,
  checkDisk,
  checkKeys,
  checkQueue,
  checkSettings,
  checkTraces,
  checkWebhooks,
  checkWorker,
  type Finding,
} from "../app/health-checks.ts";
import type { Config, ModelAccess } from "../config/config.ts";
import { describeError } from "../lib/errors.ts";
import { createLogger } from "../lib/logger.ts";
import type { ModelProbe } from "../models/probe-model.ts";
import { withDatabaseUrl } from "./database.ts";

type Check = (config: Config) => Finding | Promise<Finding>;

/** Everything that can be wrong, one after the other. */
export async function runAllChecks(config: Config): Promise<(Finding & { name: string })[]> {
  const findings: (Finding & { name: string })[] = [];
  for (const [name, check] of Object.entries(await listChecks(config)))
    findings.push({ name, ...(await runCheck(check, config)) });
  return findings;
}

async function listChecks(config: Config): Promise<Record<string, Check>> {
  const { database, keys, queue, webhooks } = await checkDatabaseState(config);
  return {
    settings: checkSettings,
    database: () => database,
    keys: () => keys,
    disk: checkDisk,
    artifacts: openAndCheckArtifacts,
    browser: startAndCheckBrowser,
    worker: checkWorker,
    queue: () => queue,
    webhooks: () => webhooks,
    traces: checkTraces,
    demo: checkDemo,
    model: checkModels,
  };
}

async function runCheck(check: Check, config: Config): Promise<Finding> {
  try {
    return await check(config);
  } catch (error) {
    return { status: "problem", message: describeError(error) };
  }
}

async function openAndCheckArtifacts(config: Config): Promise<Finding> {
  const { openArtifactFiles } = await import("../storage/artifacts/artifact-files.ts");
  using files = openArtifactFiles(config);
  return await checkArtifacts(config, files);
}

async function startAndCheckBrowser(config: Config): Promise<Finding> {
  const logger = createLogger("silent", process.stderr);
  await using browsers = createConfiguredBrowsers(config, { warm: 0, logger });
  return await checkBrowser(config, () => browsers.checkReady());
}

function checkDemo({ demo }: Config): Finding {
  return {
    status: "ok",
    message: demo ? "errand start opens the demo shop too" : "off: errand start opens no demo shop",
  };
}

async function checkModels({ models: { planner, verifier } }: Config): Promise<Finding> {
  const findings: Finding[] = [];
  if (planner === null) findings.push({ status: "ok", message: "none: the built-in planner, which needs no key" });
  else findings.push(await checkModelAccess(planner));
  if (verifier !== null && verifier !== planner) {
    const { message, ...rest } = await checkModelAccess(verifier);
    findings.push({ ...rest, message: `the verifier's: ${message}` });
  }
  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  return {
    status: (["problem", "warning"] as const).find((status) => findings.some((one) => one.status === status)) ?? "ok",
    message: findings.map(({ message }) => message).join("; "),
    ...(fixes.length > 0 && { fix: fixes.join(" ") }),
  };
}

interface DatabaseFindings {
  database: Finding;
  keys: Finding;
  queue: Finding;
  webhooks: Finding;
}

/** Looks at the database and at what is sealed in it. Changes nothing: neither the schema nor the key file. */
export async function checkDatabaseState(config: Config): Promise<DatabaseFindings> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null && !existsSync(join(dataDir, "postgres"))) {
    const message = `none yet in ${dataDir}: the first errand start makes one`;
    return { database: { status: "ok", message }, ...NOTHING_YET };
  }
  try {
    return await withDatabaseUrl(config, { mustExist: true }, (address) => checkConnected(address, config));
  } catch (error) {
    const fix = adviseOnDatabase(config, error);
    const database: Finding = { status: "problem", message: describeError(error), ...(fix !== null && { fix }) };
    return { database, ...NOT_CHECKED };
  }
}

const NOTHING_YET = {
  keys: { status: "ok", message: "nothing is sealed yet" },
  queue: { status: "ok", message: "nothing waits yet" },
  webhooks: { status: "ok", message: "none yet" },
} satisfies Partial<DatabaseFindings>;

const NOT_CHECKED = {
  keys: notChecked("whether they open what is sealed"),
  queue: notChecked("what waits"),
  webhooks: notChecked("what waits to be sent"),
} satisfies Partial<DatabaseFindings>;

function notChecked(what: string): Finding {
  return { status: "warning", message: `${what} cannot be said before the database is as it should be` };
}

async function checkConnected(connectionString: string, config: Config): Promise<DatabaseFindings> {
  const [{ openDatabase }, { readSchemaState }] = await Promise.all([
    import("../storage/database.ts"),
    import("../storage/migrations.ts"),
  ]);
  const { present, version, missing, newer } = await readSchemaState(connectionString);
  if (present === 0) return { database: describeEmpty(config), ...NOTHING_YET };
  await using database = openDatabase({ connectionString, poolSize: 1, onError: () => {} });
  const found = await checkDatabase(database, config);
  if (missing.length > 0) {
    const message = `${found.message}; this Errand brings ${version}`;
    const fix = "Make a backup (errand backup), then errand migrate; errand start migrates, too.";
    return { database: { status: "warning", message, fix }, ...NOT_CHECKED };
  }
  const others = {
    keys: await toFinding(checkKeys(database, config)),
    queue: await toFinding(checkQueue(database)),
    webhooks: await toFinding(checkWebhooks(database)),
  };
  if (newer.length === 0) return { database: found, ...others };
  const message = `${found.message}, which is newer than this Errand: it still runs on it`;
  return { database: { status: "warning", message, fix: "Update Errand here soon." }, ...others };
}

/** That one of them fails says nothing about the others. */
function toFinding(finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((error: unknown) => ({ status: "problem", message: describeError(error) }));
}

function describeEmpty({ databaseUrl }: Config): Finding {
  const message = "empty: errand start sets it up";
  if (databaseUrl === null) return { status: "ok", message };
  return { status: "warning", message, fix: "If it should not be empty, check the database's name in DATABASE_URL." };
}

interface ModelFinding {
  status: "ok" | "warning" | "problem";
  message: string;
  fix?: string;
}

/** A doctor is not waited for as long as an errand. */
const MAX_SILENCE_MS = 60_000;
const PATIENCE_MS = 10_000;

/** Tries a model out: whether it is there, calls tools, keeps to schemas and sees pictures. */
export async function checkModelAccess(access: ModelAccess): Promise<ModelFinding> {
  const [{ createModel }, { probeModel }] = await Promise.all([
    import("../models/create-model.ts"),
    import("../models/probe-model.ts"),
  ]);
  const silenceMs = Math.min(access.silenceMs, MAX_SILENCE_MS);
  // What the provider says may be shown here: the questions hold nothing secret.
  const model = await createModel({
    ...access,
    silenceMs,
    patienceMs: PATIENCE_MS,
    quotesProvider: true,
    sleep: async () => {},
  });
  return describeProbe(access, await probeModel(model, new AbortController().signal));
}

function describeProbe({ spec, setting }: ModelAccess, probe: ModelProbe): ModelFinding {
  if (probe.outcome === "failed") return { status: "problem", message: probe.failure.message };
  const { toolCalls, schema, images, durationMs } = probe;
  const message =
    `${spec} answers in ${(durationMs / 1_000).toFixed(1)} s; tool calls: ${toolCalls}; ` +
    `JSON schema: ${schema}; images: ${images}`;
  if (schema === "not kept") {
    return { status: "problem", message, fix: `It mistakes what it is told. Choose a larger model in ${setting}.` };
  }
  const fixes = [
    ...(toolCalls === "native"
      ? []
      : [
          "Tools are described in text instead, which is less sure: choose a model with tool calls, or switch them on " +
            "in its server (vLLM: --enable-auto-tool-choice, llama.cpp: --jinja).",
        ]),
    ...(schema === "kept"
      ? []
      : ["Its calls need corrections, which cost time and tokens: a larger model needs fewer."]),
    ...(images === "seen"
      ? []
      : ["Screenshots are of no use to it: choose a model that sees, if pages are mostly pictures."]),
  ];
  return fixes.length === 0 ? { status: "ok", message } : { status: "warning", message, fix: fixes.join(" ") };
}
