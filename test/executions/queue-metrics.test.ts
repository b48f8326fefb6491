import { describe, expect, it } from "vitest";
import { createQueueMetrics } from "../../src/executions/execution-metrics.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createQueueGauge } from "../../src/storage/sql/queue.ts";
import { createApi } from "../_harness/api.ts";
import { openTestQueue } from "../_harness/engine.ts";
import { startTestService } from "../_harness/service.ts";

describe("the state of the queue", () => {
  it("is counted in the database, and omitted while that fails", async () => {
    await using installation = await startTestService();
    await using queue = openTestQueue(installation.database.url, 2);
    await using own = openDatabase({ connectionString: installation.database.url, poolSize: 1, onError: () => {} });
    const failures: unknown[] = [];
    // A new registry each time, because a registry caches its values for a while.
    const look = async () => {
      const registry = createQueueMetrics(createQueueGauge(own), (error) => failures.push(error));
      return (await registry.metrics()).split("\n").filter((line) => line.startsWith("errand_"));
    };
    const state = (waiting: number, running: number, silent: number) => [
      `errand_queue_executions{state="waiting"} ${waiting}`,
      `errand_queue_executions{state="running"} ${running}`,
      `errand_queue_executions{state="silent"} ${silent}`,
    ];
    expect(await look()).toEqual([...state(0, 0, 0), "errand_queue_oldest_wait_seconds 0"]);
    for (let number = 0; number < 3; number += 1) {
      await createApi(installation.url, await installation.connect()).created();
    }
    await installation.database.query("update connections set queued_since = now() - interval '1 hour'");
    await queue.store.claim(60_000);
    await queue.store.claim(-1);
    const [wait, ...counts] = (await look()).reverse();
    expect(counts.reverse()).toEqual(state(1, 2, 1));
    expect(wait).toMatch(/^errand_queue_oldest_wait_seconds 36\d\d\./);
    expect(failures).toEqual([]);
    await installation.database.query("alter table executions rename to executions_elsewhere");
    expect(await look()).toEqual([]);
    expect(failures).toHaveLength(1);
  });
});
