import { statfs } from "node:fs/promises";
import type { Command } from "commander";
import { locateBrowser } from "../browser/locate-browser.ts";
import type { Config } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { createConfiguredBrowsers } from "../configured-browsers.ts";
import { describeError } from "../lib/describe-error.ts";
import { ensureDirectory } from "../lib/ensure-directory.ts";
import { createLogger } from "../lib/logger.ts";
import { checkModel } from "./check-model.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

interface Finding {
  status: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  fix?: string;
}

type Check = (config: Config) => Promise<Finding>;

const CHECKS: Record<string, Check> = {
  settings: checkSettings,
  database: checkDatabase,
  disk: checkDisk,
  browser: checkBrowser,
  worker: checkWorker,
  demo: checkDemo,
  model: checkModels,
};
const MARKS = { ok: "✓", warning: "!", problem: "✗" };
const FREE_BYTES_WANTED = 1024 ** 3;

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("say what is wrong with this installation, and how to mend it")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const config = loadConfig(options);
      const findings: (Finding & { name: string })[] = [];
      for (const [name, check] of Object.entries(CHECKS)) findings.push({ name, ...(await examine(check, config)) });
      const ok = findings.every(({ status }) => status !== "problem");
      printResult(options.json, { ok, checks: findings }, [
        ...findings.flatMap(({ name, status, message, fix }) => [
          `${MARKS[status]} ${name.padEnd(9)} ${message}`,
          ...(fix === undefined ? [] : [`  ${"".padEnd(9)} → ${fix}`]),
        ]),
        ok ? "All is well." : "Something needs mending.",
      ]);
      if (!ok) process.exitCode = 1;
    });
}

async function examine(check: Check, config: Config): Promise<Finding> {
  try {
    return await check(config);
  } catch (error) {
    return { status: "problem", message: describeError(error) };
  }
}

async function checkSettings({ warnings, publicUrl, secretKey, databaseUrl }: Config): Promise<Finding> {
  if (warnings.length > 0)
    return { status: "warning", message: warnings.join("; "), fix: "Correct the name or remove it." };
  if (databaseUrl !== null && secretKey === null) {
    return {
      status: "warning",
      message: "ERRAND_SECRET_KEY is not set, so each machine on this database would make its own.",
      fix: "Set the same ERRAND_SECRET_KEY wherever Errand runs on this database.",
    };
  }
  return { status: "ok", message: `people and applications use ${publicUrl}` };
}

async function checkDatabase(config: Config): Promise<Finding> {
  const logger = createLogger("silent", process.stderr);
  const { openStorage } = await import("../storage/open-storage.ts");
  try {
    await using storage = await openStorage({ ...config, poolSize: 2, logger, onProgress: () => {} });
    const { rows } = await storage.database.pool.query<{ version: string }>(
      "select split_part(version(), ' ', 2) as version",
    );
    const kind = storage.isEmbedded ? "embedded" : "at DATABASE_URL";
    return { status: "ok", message: `PostgreSQL ${rows[0]?.version} ${kind}, schema version ${storage.schemaVersion}` };
  } catch (error) {
    const fix =
      config.databaseUrl === null
        ? "The server's log is postgres.log in the data directory."
        : "Check DATABASE_URL and that the server runs.";
    return { status: "problem", message: describeError(error), fix };
  }
}

async function checkDisk({ dataDir }: Config): Promise<Finding> {
  ensureDirectory(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const message = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free at ${dataDir}`;
  return freeBytes >= FREE_BYTES_WANTED
    ? { status: "ok", message }
    : { status: "warning", message, fix: "Free some space: artifacts and the database need room." };
}

async function checkBrowser(config: Config): Promise<Finding> {
  const logger = createLogger("silent", process.stderr);
  // Started for real: one that is there but cannot run is the usual trouble.
  await using browsers = createConfiguredBrowsers(config, { warm: 0, logger });
  await browsers.checkReady();
  const { browserPath, browserCdpUrl } = config;
  if (browserCdpUrl !== null) return { status: "ok", message: `remote, at ${new URL(browserCdpUrl).host}, answers` };
  const browser = await locateBrowser({ explicitPath: browserPath, searchPath: readEnvironment()["PATH"] ?? "" });
  return { status: "ok", message: `${browser?.path} starts` };
}

async function checkWorker({
  concurrency,
  maxSteps,
  maxMinutes,
  allowHosts,
  databasePoolSize,
}: Config): Promise<Finding> {
  const limits = `${concurrency} at a time, each at most ${maxSteps} steps and ${maxMinutes} min`;
  const reach = allowHosts.length === 0 ? "no private host may be reached" : `may also reach ${allowHosts.join(", ")}`;
  const message = `${limits}; ${reach}`;
  // Each run may hold a connection while others wait for one.
  if (databasePoolSize > concurrency) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}; ${databasePoolSize} database connections are few for that`,
    fix: "Set ERRAND_DATABASE_POOL_SIZE higher than ERRAND_CONCURRENCY.",
  };
}

async function checkDemo({ demo }: Config): Promise<Finding> {
  return {
    status: "ok",
    message: demo ? "errand start opens the demo shop too" : "off: errand start opens no demo shop",
  };
}

async function checkModels({ models: { planner, verifier } }: Config): Promise<Finding> {
  const findings: Finding[] = [];
  if (planner === null) findings.push({ status: "ok", message: "none: the built-in planner, which needs no key" });
  else findings.push(await checkModel(planner));
  if (verifier !== null && verifier !== planner) {
    const { message, ...rest } = await checkModel(verifier);
    findings.push({ ...rest, message: `the verifier's: ${message}` });
  }
  const fixes = findings.flatMap(({ fix }) => fix ?? []);
  return {
    status: (["problem", "warning"] as const).find((status) => findings.some((one) => one.status === status)) ?? "ok",
    message: findings.map(({ message }) => message).join("; "),
    ...(fixes.length > 0 && { fix: fixes.join(" ") }),
  };
}
