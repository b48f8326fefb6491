import { type Command, InvalidArgumentError } from "commander";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { CallerError } from "../lib/caller-error.ts";
import { findFreePort } from "../lib/free-port.ts";
import type { Logger } from "../lib/logger.ts";
import type { Service } from "../service.ts";
import { openStorage } from "../storage/open-storage.ts";
import { type ConfigOptions, loadConfig } from "./load-config.ts";
import { createProcessLogger } from "./log-output.ts";
import { DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";
import { untilSignal } from "./until-signal.ts";

interface StartOptions extends ConfigOptions {
  roles: string[];
  json?: boolean;
}

const ROLES = ["api", "worker"];
const SWEEP_MS = 100;

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("start the service")
    .option("--roles <roles>", `what this process does: ${ROLES.join(", ")}, or both`, parseRoles, ROLES)
    .option("--port <port>", "the port to listen on (default: ERRAND_PORT)")
    .option("--host <address>", "the network address to listen on (default: ERRAND_HOST)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  if (!options.roles.includes("api")) {
    throw new CallerError("INVALID_REQUEST", "This version has no worker to run alone. Start it with --roles api.");
  }
  const config = await withPort(loadConfig(options));
  // Loaded here, so that the other commands need not wait for it.
  const { createService } = await import("../service.ts");
  const logger = createProcessLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  // Before anything opens, so that an impatient Ctrl-C during the first seconds still ends tidily.
  const stop = untilSignal();
  await using storage = await openStorage({
    ...config,
    poolSize: config.databasePoolSize,
    logger,
    onProgress: showProgress,
    claimAs: `errand service ${process.pid} at ${config.publicUrl}`,
  });
  await using service = await createService({
    config,
    database: storage.database,
    connectionString: storage.connectionString,
    logger,
  });
  await listen(service, config);
  printResult(options.json, { url: config.publicUrl, pid: process.pid, data_dir: config.dataDir }, banner(config));
  const signal = await stop;
  logger.info({ signal }, "stopping: finishing what is in flight");
  await drain(service, config.shutdownSeconds, logger);
}

function parseRoles(text: string): string[] {
  const roles = text.split(",").map((role) => role.trim());
  if (roles.some((role) => !ROLES.includes(role))) throw new InvalidArgumentError(`Roles are ${ROLES.join(" and ")}.`);
  return roles;
}

/** Port 0 is settled now, because the public address is needed before listening. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await findFreePort(config.host);
  const isDefaultUrl = config.publicUrl === defaultPublicUrl(config.host, 0);
  return { ...config, port, publicUrl: isDefaultUrl ? defaultPublicUrl(config.host, port) : config.publicUrl };
}

async function listen({ app }: Service, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `Port ${port} on ${host} is taken by another program. Stop it, or choose another port with --port.`,
      { cause: error },
    );
  }
}

/** Waits for what is in flight, but not for ever. */
async function drain(service: Service, seconds: number, logger: Logger): Promise<void> {
  service.beginStopping();
  const sweep = setInterval(() => service.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => {
    logger.warn("some requests did not end in time: closing their connections");
    service.app.server.closeAllConnections();
  }, seconds * 1_000);
  await service.app.close();
  clearInterval(sweep);
  clearTimeout(timer);
}

function banner({ publicUrl, dataDir }: Config): string[] {
  return [
    "",
    `  Errand is running at ${publicUrl}`,
    "",
    `  Reference    ${publicUrl}/docs`,
    `  Data         ${dataDir}`,
    "",
    "  In another terminal:",
    "    bin/errand app create --name Demo --type public --redirect-uri http://127.0.0.1:9999/callback",
    "    bin/errand connect --application <id> --user you@example.com",
    "    bin/errand doctor",
    "",
    "  Executions are accepted and stay QUEUED: this version has no worker yet. Ctrl-C stops.",
    "",
  ];
}
