import { setTimeout as sleep } from "node:timers/promises";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import { createWorkerService } from "../../src/app/worker-service.ts";
import { readConfig } from "../../src/config/config.ts";
import { createArtifactWriter } from "../../src/executions/artifacts.ts";
import type { QueueStore } from "../../src/executions/queue.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createArtifactStore } from "../../src/storage/sql/artifacts.ts";
import { startWorker } from "../../src/worker/worker.ts";
import { type Counters, type RunShape, type Start, serve } from "./protocol.ts";

/** As by default. */
const POOL_SIZE = 10;

// A worker as shipped, but for the errand itself, its browser and the files of its artifacts.
serve(async ({ connectionString, dataDir, shape, concurrency }: Start, counters: Counters) => {
  const config = readConfig({ ERRAND_DATA_DIR: dataDir, DATABASE_URL: connectionString }, dataDir);
  const logger = createLogger("silent", process.stderr);
  const database = openDatabase({ connectionString, poolSize: POOL_SIZE, onError: () => {} });
  const notifications = createNotifications({ connectionString, pool: database.pool, logger });
  const noBrowser = () => Promise.reject(new Error("A simulated run opens no browser."));
  const { dependencies } = await createWorkerService({
    config,
    database,
    notifications,
    browsers: {
      openSession: noBrowser,
      openLive: noBrowser,
      checkReady: async () => {},
      [Symbol.asyncDispose]: async () => {},
    },
    privateHosts: [],
    logger,
    agent: {
      runErrand: (errand) => simulateRun(errand, shape, counters),
      planner: { name: "none", plan: () => Promise.reject(new Error("A simulated run has no plan.")) },
      judge: null,
    },
  });
  const artifacts = createArtifactWriter({
    store: createArtifactStore(database),
    files: NO_FILES,
  });
  const worker = startWorker({
    ...dependencies,
    queue: countQueue(dependencies.queue, counters),
    artifacts,
    checkArtifacts: async () => {},
    notifications,
    concurrency,
  });
  return () => worker.drain(0);
});

const NO_FILES: Parameters<typeof createArtifactWriter>[0]["files"] = {
  write: async () => {},
  remove: async () => {},
  removeAll: async () => {},
  open: () => Promise.reject(new Error("Nothing is stored.")),
};

/** The first runs of a worker end at any time, so that the rest do not all begin at once. */
let started = 0;

async function simulateRun(
  errand: Errand,
  { runSeconds, steps }: RunShape,
  counters: Counters,
): Promise<ErrandOutcome> {
  const { reporter, signal } = errand;
  started += 1;
  const share = started <= 10_000 ? Math.random() : 1;
  const stepMs = ((runSeconds * 1_000) / steps) * (0.5 + Math.random());
  try {
    if (!(await errand.begin())) throw new Error("The lease is lost.");
    for (let step = 1; step <= Math.ceil(steps * share); step += 1) {
      await sleep(stepMs, undefined, { signal });
      const picture = {
        kind: "screenshot",
        name: `step-${step}.webp`,
        contentType: "image/webp",
        data: PICTURE,
      } as const;
      await reporter.step({ ...STEP, step, screenshot: null }, picture);
    }
  } catch (error) {
    if (signal.reason?.kind !== "shutting_down") counters.fail();
    throw error;
  }
  return VERIFIED;
}

const PICTURE = Buffer.alloc(64);

/** As long as a real one. */
const STEP = {
  action: "click",
  input: { ref: "e12", label: "Add to cart" },
  why: "The product is the one that was asked for, so it goes into the cart.",
  outcome: "ok",
  message: "The page shows: Added to cart. 1 item, €16.90. Continue to checkout.",
  url: "https://shop.example/products/brindle-kettle?colour=green",
  title: "Brindle kettle – Shop",
  side_effects: [],
  mark: null,
  cost: null,
} as const;

const VERIFIED: ErrandOutcome = {
  kind: "verified",
  cost: null,
  reason: "Every check agreed.",
  result: {
    final_text: "The kettle costs €16.90.",
    final_url: STEP.url,
    final_title: STEP.title,
    extracted: { price: 16.9 },
    evidence: { urls: [STEP.url], verifier: { agreed: true, reason: "It is there." }, side_effects: [] },
  },
};

function countQueue(queue: QueueStore, counters: Counters): QueueStore {
  return {
    ...queue,
    async claim(leaseMs) {
      const startedMs = performance.now();
      const claim = await queue.claim(leaseMs);
      counters.count(claim === null ? "empty claim" : "claim", startedMs);
      return claim;
    },
    extend: counters.wrap("heartbeat", queue.extend),
    checkLease: counters.wrap("heartbeat", queue.checkLease),
    appendEvent: counters.wrap("event", queue.appendEvent),
    finish: counters.wrap("finish", queue.finish),
  };
}
