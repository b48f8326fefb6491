import type { Config } from "../config/config.ts";
import { createConfiguredBrowsers } from "../configured-browsers.ts";
import {
  checkArtifacts,
  checkBrowser,
  checkDisk,
  checkSettings,
  checkTraces,
  checkWorker,
  type Finding,
} from "../doctor-checks.ts";
import { describeError } from "../lib/describe-error.ts";
import { createLogger } from "../lib/logger.ts";
import { checkModel } from "./check-model.ts";
import { lookAtDatabase } from "./doctor-database.ts";

type Check = (config: Config) => Finding | Promise<Finding>;

/** Everything that can be wrong, one after the other. */
export async function examineAll(config: Config): Promise<(Finding & { name: string })[]> {
  const findings: (Finding & { name: string })[] = [];
  for (const [name, check] of Object.entries(await listChecks(config)))
    findings.push({ name, ...(await examine(check, config)) });
  return findings;
}

async function listChecks(config: Config): Promise<Record<string, Check>> {
  const { database, keys, queue, webhooks } = await lookAtDatabase(config);
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

async function examine(check: Check, config: Config): Promise<Finding> {
  try {
    return await check(config);
  } catch (error) {
    return { status: "problem", message: describeError(error) };
  }
}

async function openAndCheckArtifacts(config: Config): Promise<Finding> {
  const { openArtifactFiles } = await import("../storage/open-artifact-files.ts");
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
