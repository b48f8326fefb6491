import { type Command, InvalidArgumentError, Option } from "commander";
import type { ErrandProcess, Role } from "../app/process.ts";
import { COMMAND } from "../lib/installation.ts";
import { type ConfigOptions, DATA_DIR_OPTION, JSON_OPTION, loadServiceConfig, saveServiceUrl } from "./options.ts";
import { printResult, showProgress } from "./output.ts";
import { untilSignal } from "./signals.ts";

interface StartOptions extends ConfigOptions {
  roles: Role[];
  json?: boolean;
}

const ROLES: Role[] = ["api", "worker"];

const HELP = `
Without options, one process does everything: it serves the API and the console, and runs errands. To run several
processes on one database, start some with --roles api and some with --roles worker.

Ctrl-C or SIGTERM stops the process once open requests and running errands have finished, or after
ERRAND_SHUTDOWN_SECONDS. A second Ctrl-C stops it at once.`;

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("start the service")
    .addOption(
      new Option("--roles <roles>", "what this process does: api, worker, or both")
        .default(ROLES, ROLES.join(","))
        .argParser(parseRoles),
    )
    .option("--port <port>", "port to listen on; 0 picks a free one (default: ERRAND_PORT)")
    .option("--host <address>", "network address to listen on (default: ERRAND_HOST)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const { roles } = options;
  const settings = loadServiceConfig(options);
  const { createProcessLogger } = await import("./log-output.ts");
  const logger = createProcessLogger(settings.logLevel);
  for (const warning of settings.warnings) logger.warn(warning);
  // A browser that crashes can leave a rejected promise that nobody awaits. Other executions must go on.
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "Unhandled rejection"));
  // Installed before anything opens, so that Ctrl-C during the first seconds still stops cleanly.
  const stop = untilSignal();
  // Loaded lazily, so that other commands start fast.
  const { startProcess } = await import("../app/process.ts");
  await using started = await startProcess({
    config: settings,
    roles,
    healthPort: options.port === undefined ? settings.workerPort : settings.port,
    logger,
    onProgress: showProgress,
  });
  if (started.setupCode !== null) {
    logger.info(
      `This installation has no owner yet. To claim it from another machine, use the setup code ${started.setupCode}`,
    );
  }
  if (roles.includes("api")) saveServiceUrl(started.config);
  printResult(options.json, toJson(started, roles), describeStart(started, roles));
  const signal = await stop;
  logger.info({ signal }, "Stopping; finishing open requests and running executions");
  await started.drain();
}

function parseRoles(text: string): Role[] {
  const roles = text.split(",").map((role) => role.trim());
  const known = ROLES.filter((role) => roles.includes(role));
  if (roles.some((role) => !known.includes(role as Role))) {
    throw new InvalidArgumentError(`The roles are ${ROLES.join(" and ")}.`);
  }
  return known;
}

function toJson({ config, demo, setupCode, healthUrl }: ErrandProcess, roles: readonly Role[]): object {
  const url = roles.includes("api") ? config.publicUrl : null;
  return {
    url,
    console_url: url === null ? null : `${url}/console`,
    setup_code: setupCode,
    pid: process.pid,
    data_dir: config.dataDir,
    roles,
    demo_url: demo?.url ?? null,
    health_url: healthUrl,
  };
}

function describeStart({ config, demo, setupCode, healthUrl }: ErrandProcess, roles: readonly Role[]): string[] {
  const { publicUrl, dataDir, concurrency, commandOptions } = config;
  const isApi = roles.includes("api");
  const isWorker = roles.includes("worker");
  return [
    "",
    isApi ? `  Errand is running at ${publicUrl}` : "  An Errand worker is running",
    "",
    ...(isApi ? describeConsole(publicUrl, setupCode) : []),
    ...(isApi ? [`  API docs     ${publicUrl}/docs`] : []),
    isWorker
      ? `  Worker       runs ${concurrency === 1 ? "1 errand" : `${concurrency} errands`} at a time`
      : `  Worker       none in this process; start one with: errand start --roles worker${commandOptions}`,
    ...(healthUrl === null ? [] : [`  Health       ${healthUrl}/readyz (Prometheus metrics at /metrics)`]),
    ...(demo === null ? [] : describeDemo(demo)),
    `  Data         ${dataDir}`,
    "",
    ...(demo === null ? [] : [...describeFirstErrand(demo.url, commandOptions), ""]),
    ...(isApi ? [...describeOwnApplication(commandOptions), ""] : []),
    `  Run ${COMMAND} doctor${commandOptions} to check the installation. Press Ctrl-C to stop.`,
    "",
  ];
}

function describeConsole(publicUrl: string, setupCode: string | null): string[] {
  return [
    `  Console      ${publicUrl}/console`,
    ...(setupCode === null
      ? []
      : [
          "               This installation has no owner yet: open the console to create the owner account.",
          `               From another machine you need the setup code ${setupCode}`,
        ]),
  ];
}

function describeDemo({ url, movedFrom }: NonNullable<ErrandProcess["demo"]>): string[] {
  return [
    `  Demo shop    ${url}`,
    ...(movedFrom === null ? [] : [`               It has moved: something else uses its port ${movedFrom}.`]),
  ];
}

function describeFirstErrand(demoUrl: string, commandOptions: string): string[] {
  return [
    "  Try a first errand in the console, or from another terminal:",
    `    ${COMMAND} run "Search for kettle and tell me the price of the Brindle Kettle" --start-url ${demoUrl}/${commandOptions}`,
  ];
}

function describeOwnApplication(commandOptions: string): string[] {
  return [
    "  Register your own application:",
    `    ${COMMAND} app create --name Demo --type public --redirect-uri http://127.0.0.1:9999/callback${commandOptions}`,
    `    ${COMMAND} connect --application <id> --user you@example.com${commandOptions}`,
  ];
}
