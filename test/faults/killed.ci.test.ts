import pg from "pg";
import { describe, expect, it } from "vitest";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { amountOfTier } from "../_harness/tier.ts";

const ROUNDS = amountOfTier({ ci: 4, nightly: 20 });
const CLIENTS = 8;
const KILL_AFTER = 25;

describe("kill -9 of the service during a storm of creates", () => {
  it(`loses nothing that was acknowledged with 201, in ${ROUNDS} rounds, and the ledger adds up`, {
    timeout: 900_000,
  }, async () => {
    await using data = await createDataDir();
    // Runs all the time, so that PostgreSQL itself stays up when the service is killed.
    await using server = await joinEmbeddedServer(data.path, () => {});
    const { id: applicationId } = await errandJson<{ id: string }>(
      ["app", "create", "--name", "Storm", "--type", "public"],
      data.env,
    );
    await errandJson(["credits", "grant", "--application", applicationId, "--amount", "100000"], data.env);
    const { access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", applicationId, "--user", "a@example.com"],
      data.env,
    );
    const accepted = new Map<string, string>();
    const env = { ...data.env, ERRAND_RATE_BURST: "1000000", ERRAND_LOG_LEVEL: "silent" };

    async function create(service: RunningErrand, key: string): Promise<void> {
      const response = await fetch(`${service.url}/v1/applications/${applicationId}/executions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ prompt: `Errand ${key}.` }),
      });
      const { execution } = (await response.json()) as { execution: { id: string } };
      expect(response.status).toBe(201);
      accepted.set(key, execution.id);
    }

    /** Many clients create as fast as they can until the service is killed. */
    async function storm(service: RunningErrand, round: number): Promise<void> {
      const before = accepted.size;
      let alive = true;
      const client = async (number: number) => {
        for (let request = 0; alive; request += 1) {
          await create(service, `${round}-${number}-${request}`).catch((error: Error) => {
            if (alive) throw error;
          });
          if (alive && accepted.size - before >= KILL_AFTER) {
            alive = false;
            service.child.kill("SIGKILL");
          }
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    }

    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await startErrand(env);
      await storm(service, round);
      await service.end("SIGKILL");
    }

    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    const query = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows;
    const rows = await query<{ id: string; key: string }>("select id, idempotency_key as key from executions");
    const stored = new Map(rows.map(({ id, key }) => [key, id]));
    expect(accepted.size).toBeGreaterThanOrEqual(ROUNDS * KILL_AFTER);
    for (const [key, id] of accepted) expect(stored.get(key), `execution ${id} of key ${key} is lost`).toBe(id);
    await expectLedgerAddsUp({ database: { query } });
    await client.end();
  });
});
