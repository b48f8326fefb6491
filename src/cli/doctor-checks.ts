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
import { locateBrowser } from "../browser/pool/locate-browser.ts";
import type { Config, ModelAccess } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { describeError } from "../lib/errors.ts";
import { createLogger } from "../lib/logger.ts";
import type { ModelProbe } from "../models/probe-model.ts";
import { withDatabaseUrl } from "./database.ts";

type Check = (config: Config) => Finding | Promise<Finding>;

export type NamedFinding = Finding & { readonly name: string };

/** Runs all checks, one after the other. `onBegin` is told what is checked next. */
export async function* runAllChecks(config: Config, onBegin: (name: string) => void): AsyncGenerator<NamedFinding> {
  onBegin("database");
  for (const [name, check] of Object.entries(await listChecks(config))) {
    onBegin(name);
    yield { name, ...(await runCheck(check, config)) };
  }
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
  const finding = await checkBrowser(config, () => browsers.checkReady());
  return config.browserCdpUrls.length > 0 ? finding : { ...finding, ...(await describeIsolation(config, finding)) };
}

/** As whom browsers run, and whether Chromium's sandbox works here: found out by starting one. */
async function describeIsolation({ browserPath }: Config, { message }: Finding): Promise<Partial<Finding>> {
  const { createBrowserStarter } = await import("../browser/pool/browser-process.ts");
  const browser = await locateBrowser({ explicitPath: browserPath, searchPath: readEnvironment()["PATH"] ?? "" });
  const starter = createBrowserStarter(browser?.path ?? "", { maxMemoryBytes: 0 });
  await using _started = await starter.start();
  const { user, hasSandbox } = starter.identity ?? { user: null, hasSandbox: false };
  if (hasSandbox) {
    return { message: `${message}${user === null ? "" : ` as the user ${user.name}`}, with Chromium's sandbox` };
  }
  if (user !== null) {
    return {
      status: "warning",
      message: `${message} as the user ${user.name}, without Chromium's sandbox`,
      fix: "Allow unprivileged user namespaces, which the sandbox needs.",
    };
  }
  return {
    status: "warning",
    message: `${message} as root, without Chromium's sandbox`,
    fix:
      "Start Errand as a normal user, or put the browser and the folder for temporary files where every user can reach them. " +
      "The programs setpriv and useradd must be installed.",
  };
}

function checkDemo({ demo }: Config): Finding {
  return {
    status: "ok",
    message: demo ? "Started by errand start" : "Off (ERRAND_DEMO=false)",
  };
}

async function checkModels({ models: { planner, verifier } }: Config): Promise<Finding> {
  const findings: Finding[] = [];
  if (planner === null) findings.push({ status: "ok", message: "None; prompts are read as steps" });
  else findings.push(await checkModelAccess(planner));
  if (verifier !== null && verifier !== planner) {
    const { message, ...rest } = await checkModelAccess(verifier);
    findings.push({ ...rest, message: `verifier: ${message}` });
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

/** Checks the database and its content. Changes neither the schema nor the key file. */
export async function checkDatabaseState(config: Config): Promise<DatabaseFindings> {
  const { databaseUrl, dataDir, commandOptions } = config;
  if (databaseUrl === null && !existsSync(join(dataDir, "postgres"))) {
    const message = `None yet in ${dataDir}; the first errand start${commandOptions} creates it`;
    return { database: { status: "ok", message }, ...NOTHING_YET };
  }
  try {
    return await withDatabaseUrl(config, { mustExist: true }, (url) => checkConnected(url, config));
  } catch (error) {
    const fix = adviseOnDatabase(config, error);
    const database: Finding = { status: "problem", message: describeError(error), ...(fix !== null && { fix }) };
    return { database, ...NOT_CHECKED };
  }
}

const NOTHING_YET = {
  keys: { status: "ok", message: "No stored secrets yet" },
  queue: { status: "ok", message: "Empty" },
  webhooks: { status: "ok", message: "None yet" },
} satisfies Partial<DatabaseFindings>;

const NOT_CHECKED_YET: Finding = { status: "warning", message: "Not checked, because the database is not ready" };

const NOT_CHECKED = {
  keys: NOT_CHECKED_YET,
  queue: NOT_CHECKED_YET,
  webhooks: NOT_CHECKED_YET,
} satisfies Partial<DatabaseFindings>;

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
    const message = `${found.message}; this version of Errand needs ${version}`;
    const { commandOptions } = config;
    const fix = `Make a backup (errand backup), then run errand migrate${commandOptions}, which updates the schema.`;
    return { database: { status: "warning", message, fix }, ...NOT_CHECKED };
  }
  const others = {
    keys: await toFinding(checkKeys(database, config)),
    queue: await toFinding(checkQueue(database, config)),
    webhooks: await toFinding(checkWebhooks(database)),
  };
  if (newer.length === 0) return { database: found, ...others };
  const message = `${found.message}, which is newer than this version of Errand, but compatible`;
  return { database: { status: "warning", message, fix: "Update Errand on this machine soon." }, ...others };
}

/** One failing check must not hide the others. */
function toFinding(finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((error: unknown) => ({ status: "problem", message: describeError(error) }));
}

function describeEmpty({ databaseUrl, commandOptions }: Config): Finding {
  const message = `Empty; errand start${commandOptions} sets it up`;
  if (databaseUrl === null) return { status: "ok", message };
  return { status: "warning", message, fix: "If it should not be empty, check the database name in DATABASE_URL." };
}

/** Shorter than for an errand, because a person is waiting. */
const MAX_SILENCE_MS = 60_000;
const PATIENCE_MS = 10_000;

/** Tests whether a model responds, calls tools, follows schemas and reads images. */
export async function checkModelAccess(access: ModelAccess): Promise<Finding> {
  const [{ createModel }, { probeModel }] = await Promise.all([
    import("../models/create-model.ts"),
    import("../models/probe-model.ts"),
  ]);
  const silenceMs = Math.min(access.silenceMs, MAX_SILENCE_MS);
  // The provider's messages may be shown here: the test prompts contain nothing secret.
  const model = await createModel({
    ...access,
    silenceMs,
    patienceMs: PATIENCE_MS,
    quotesProvider: true,
    sleep: async () => {},
  });
  return describeProbe(access, await probeModel(model, new AbortController().signal));
}

function describeProbe({ spec, setting }: ModelAccess, probe: ModelProbe): Finding {
  if (probe.outcome === "failed") return { status: "problem", message: probe.failure.message };
  const { toolCalls, schema, images, durationMs } = probe;
  const message =
    `${spec} responds in ${(durationMs / 1_000).toFixed(1)} s; tool calls: ${toolCalls}; ` +
    `JSON schema: ${schema}; images: ${images}`;
  if (schema === "not followed") {
    return {
      status: "problem",
      message,
      fix: `The model does not follow instructions reliably. Choose a larger one in ${setting}.`,
    };
  }
  const fixes = [
    ...(toolCalls === "native"
      ? []
      : [
          "Tools are described in text instead, which is less reliable. Choose a model with tool calls, or enable them in " +
            "its server (vLLM: --enable-auto-tool-choice, llama.cpp: --jinja).",
        ]),
    ...(schema === "followed"
      ? []
      : ["Its calls need corrections, which cost time and tokens. A larger model needs fewer."]),
    ...(images === "seen"
      ? []
      : ["It cannot use screenshots. Choose a model that reads images if your pages are mostly pictures."]),
  ];
  return fixes.length === 0 ? { status: "ok", message } : { status: "warning", message, fix: fixes.join(" ") };
}
