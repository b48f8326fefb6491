import type { BrowserPool } from "../browser/pool/browser-pool.ts";
import type { Config } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import type { Tracer } from "../lib/tracing.ts";
import type { Database } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import type { Worker } from "../worker/worker.ts";
import { DEMO_PORT, openDemoShop } from "./demo-shop.ts";

interface PreparedWorkerOptions {
  config: Config;
  database: Database;
  connectionString: string;
  hints: Notifications;
  browsers: BrowserPool;
  logger: Logger;
  tracer: Tracer;
}

export interface PreparedWorker extends AsyncDisposable {
  demoUrl: string | null;
  /** Hosts at private addresses that browsers may reach. */
  privateHosts: readonly string[];
  /** Throws when no browser can be had. */
  checkBrowser(): Promise<void>;
  /** Throws when the worker has no place for artifacts. */
  checkArtifacts(): Promise<void>;
  /** From here on it takes executions, and does what is due beside them. */
  start(): Promise<Worker>;
}

const BROWSER_CHECK_MS = 30_000;

/** A worker and, for first errands, the demo shop. */
export async function prepareWorker({
  config,
  database,
  connectionString,
  hints,
  browsers,
  logger,
  tracer,
}: PreparedWorkerOptions): Promise<PreparedWorker> {
  // Loaded here, so that the other commands need not wait for it.
  const [{ createWorkerService }, { startWorker }] = await Promise.all([
    import("./worker-service.ts"),
    import("../worker/worker.ts"),
  ]);
  await using parts = new AsyncDisposableStack();
  const demoUrl = config.demo ? await openDemo(parts, logger) : null;
  const privateHosts = [...config.allowHosts, ...(demoUrl === null ? [] : [new URL(demoUrl).host])];
  const { dependencies, startBackground } = parts.use(
    await createWorkerService({ config, database, hints, browsers, privateHosts, logger, tracer }),
  );
  const owned = parts.move();
  let worker: Worker | null = null;
  return {
    demoUrl,
    privateHosts,
    checkBrowser: rememberSuccess(() => browsers.checkReady()),
    async checkArtifacts() {
      if (worker?.missing().includes("artifacts")) throw new Error("The worker has no place for artifacts.");
    },
    async start() {
      const background = await startBackground(connectionString);
      const started = startWorker({ ...dependencies, hints, concurrency: config.concurrency });
      worker = started;
      return {
        missing: started.missing,
        async drain(graceMs) {
          await Promise.all([started.drain(graceMs), background[Symbol.asyncDispose]()]);
        },
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openDemo(parts: AsyncDisposableStack, logger: Logger): Promise<string> {
  const onMail = ({ to, subject, text }: { to: string; subject: string; text: string }) =>
    logger.info({ to, subject, text }, "the demo shop sends no mail: this would have been one");
  const shop = (await openDemoShop(DEMO_PORT, onMail)) ?? (await openDemoShop(0, onMail));
  if (shop === null) throw new Error("there is no free port for the demo shop; ERRAND_DEMO=false does without it");
  return parts.use(shop).url;
}

/** Whoever asks often whether we are ready does not make us start a browser each time. */
function rememberSuccess(check: () => Promise<void>): () => Promise<void> {
  let goodUntilMs = 0;
  let checking: Promise<void> | null = null;
  return () => {
    if (performance.now() < goodUntilMs) return Promise.resolve();
    checking ??= check()
      .then(() => {
        goodUntilMs = performance.now() + BROWSER_CHECK_MS;
      })
      .finally(() => {
        checking = null;
      });
    return checking;
  };
}
