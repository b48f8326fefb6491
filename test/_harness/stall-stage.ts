import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createApi } from "./api.ts";
import { startLoopbackServer } from "./browser.ts";
import { createTestDatabase } from "./database.ts";
import { createDataDir, errandJson, startErrand } from "./errand.ts";

/** The aim is 100 ms. Other programs and virtual machines on the same core make the CPU slower, at times by half. */
export const MAX_STALL_MS = 200;
/** A stall that the code causes happens every time. */
const ATTEMPTS = 4;
/** Each attempt on the largest page can take a minute when the machine is busy. */
export const STALL_TIMEOUT = { timeout: 600_000 };

/** A service in a process of its own, in which the longest time that its event loop was held is measured. */
export interface StallStage extends AsyncDisposable {
  pageUrl(name: string): string;
  /** Runs an execution to its end; returns `terminal.status`, or the HTTP status if it was not created. */
  run(body: object): Promise<string>;
  /**
   * The longest stall while this ran, in milliseconds of CPU. If it is above the limit, it is run again, and the lowest
   * counts. Printed at the end, by name.
   */
  measure(name: string, work: () => Promise<unknown>): Promise<number>;
}

/** Serves these pages by name. A form on them is accepted. */
export async function startStallStage(
  pages: Readonly<Record<string, string>>,
  settings: Record<string, string> = {},
): Promise<StallStage> {
  await using parts = new AsyncDisposableStack();
  const file = join(tmpdir(), `errand-stall-${randomUUID()}`);
  parts.defer(() => rmSync(file, { force: true }));
  const site = parts.use(
    await startLoopbackServer((request, response) => {
      const body = pages[decodeURIComponent(request.url?.slice(1) ?? "")] ?? "<h1>Nothing here</h1>";
      response.setHeader("content-type", "text/html; charset=utf-8").end(`<!doctype html><title>Page</title>${body}`);
    }),
  );
  const data = parts.use(await createDataDir());
  const database = parts.use(await createTestDatabase());
  const plain = {
    ...data.env,
    DATABASE_URL: database.url,
    ERRAND_ALLOW_HOSTS: new URL(site.url).host,
    ERRAND_CREATES_PER_MINUTE: "100000",
    ERRAND_RATE_BURST: "100000",
    ...settings,
  };
  const meter = `--import=${join(import.meta.dirname, "stall-meter.ts")}`;
  const service = await startErrand({ ...plain, ERRAND_STALL_FILE: file, NODE_OPTIONS: meter }, ["start"]);
  parts.defer(async () => void (await service.end("SIGTERM")));
  const creating = ["app", "create", "--name", "A", "--type", "public"];
  const { id: applicationId } = await errandJson<{ id: string }>(creating, plain);
  await using own = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
  const { people, connections } = createOperations(own);
  const person = await people.findOrCreate("user@example.com");
  const { accessToken: token } = await connections.connect(applicationId, person.id);
  const api = createApi(service.url, { applicationId, token });
  const stalls: Record<string, { "longest stall, ms": string }> = {};
  parts.defer(() => console.table(stalls));
  const owned = parts.move();
  return {
    pageUrl: (name) => `${site.url}/${encodeURIComponent(name)}`,

    async run(body) {
      const created = await api.create(body);
      if (created.status !== 201) return `${created.status}`;
      for (;;) {
        const { execution } = (await api.get(created.body.execution.id, "?wait=30")).body;
        if (execution.terminal !== null) return execution.terminal.status;
      }
    },

    async measure(name, work) {
      const measured: number[] = [];
      while (measured.length < ATTEMPTS && !measured.some((ms) => ms < MAX_STALL_MS)) {
        rmSync(file, { force: true });
        service.child.kill("SIGUSR2");
        await expect.poll(() => existsSync(file), { timeout: 100_000 }).toBe(true);
        await work();
        measured.push(Number(readFileSync(file, "utf8")));
      }
      stalls[name] = { "longest stall, ms": measured.join(", ") };
      return Math.min(...measured);
    },

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
