import { type Errand, type ErrandOutcome, StopReason } from "../../src/agent/loop/errand.ts";
import { createWorkerService } from "../../src/app/worker-service.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { startWorker, type Worker } from "../../src/worker/worker.ts";
import type { TestService } from "./service.ts";

export interface TestWorker extends AsyncDisposable {
  worker: Worker;
  log: string[];
}

interface TestWorkerOptions {
  /** Replaces the agent; the worker does not know the difference. */
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  settings?: Record<string, string>;
  concurrency?: number;
  leaseMs?: number;
  stopTimeoutMs?: number;
  pollMs?: number;
  reapMs?: number;
  recheckMs?: number;
  /** As if every NOTIFY were lost. */
  deaf?: boolean;
  checkBrowser?(): Promise<void>;
  checkModel?(): Promise<void>;
}

const SILENCE = { [Symbol.dispose]() {} };

/** A worker with its own connections, as in another process. Closing it drains it at once. */
export async function startTestWorker(
  service: TestService,
  {
    runErrand,
    settings = {},
    concurrency = 2,
    deaf = false,
    checkBrowser = async () => {},
    checkModel = async () => {},
    ...times
  }: TestWorkerOptions,
): Promise<TestWorker> {
  await using disposables = new AsyncDisposableStack();
  const log: string[] = [];
  const logger = createLogger("debug", { write: (line) => log.push(line) });
  const database = disposables.use(
    openDatabase({ connectionString: service.database.url, poolSize: 4, onError: () => {} }),
  );
  const notifications = disposables.use(
    createNotifications({ connectionString: service.database.url, pool: database.pool, logger }),
  );
  const heard = deaf ? { ...notifications, subscribe: () => SILENCE, subscribeQueue: () => SILENCE } : notifications;
  const { dependencies } = disposables.use(
    await createWorkerService({
      config: readConfig({ ERRAND_DATA_DIR: service.dataDir, ...settings }, service.dataDir),
      database,
      notifications: heard,
      browsers: {
        openSession: () => Promise.reject(new Error("a scripted errand opens no browser")),
        openLive: () => Promise.reject(new Error("a scripted errand opens no browser")),
        checkReady: checkBrowser,
        [Symbol.asyncDispose]: async () => {},
      },
      privateHosts: [],
      logger,
      agent: {
        runErrand,
        planner: {
          name: "none",
          plan() {
            throw new Error("a scripted errand has no plan");
          },
        },
        judge: null,
        checkModel,
      },
    }),
  );
  const worker = startWorker({ ...dependencies, notifications: heard, concurrency, ...times });
  disposables.defer(() => worker.drain(0));
  const owned = disposables.move();
  return { worker, log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export const VERIFIED: ErrandOutcome = {
  kind: "verified",
  cost: null,
  reason: "Every check agreed.",
  result: {
    final_text: "It costs 12.50.",
    final_url: "https://shop.example/kettle",
    final_title: "Kettle",
    extracted: { price: 12.5 },
    evidence: { urls: ["https://shop.example/"], verifier: { agreed: true, reason: "It is there." }, side_effects: [] },
  },
};

type Failed = Extract<ErrandOutcome, { kind: "failed" }>;

export function failedErrand(more: Partial<Failed> = {}): Failed {
  return {
    kind: "failed",
    cost: null,
    failure: "goal_unreachable",
    code: "GOAL_UNREACHABLE",
    reason: "The shop has no kettle.",
    message: "Ask for something that the shop sells.",
    sideEffects: [],
    verdict: null,
    ...more,
  };
}

export const ORDERED = {
  type: "request",
  method: "POST",
  url: "https://shop.example/orders",
  status: 201,
  step: 1,
  cause: "click Order",
  first_party: true,
  at: "2026-03-11T10:00:00.000Z",
} as const;

export function stepReport(more: Partial<Parameters<Errand["reporter"]["step"]>[0]> = {}) {
  return {
    step: 1,
    action: "click",
    input: { ref: "e1" },
    why: "to order",
    outcome: "ok" as const,
    message: null,
    url: "https://shop.example/",
    title: "Shop",
    side_effects: [],
    screenshot: null,
    mark: null,
    cost: null,
    ...more,
  };
}

/** Resolves with the reason when the run is told to stop. */
export function untilStopped({ signal }: Errand): Promise<StopReason["kind"]> {
  return new Promise((resolve) => {
    const tell = () => resolve(signal.reason instanceof StopReason ? signal.reason.kind : "canceled");
    signal.addEventListener("abort", tell);
    if (signal.aborted) tell();
  });
}
