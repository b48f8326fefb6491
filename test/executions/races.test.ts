import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const REDIRECT_URI = "http://127.0.0.1/callback";

describe("concurrent requests:", () => {
  let service: TestService;
  let connection: TestConnection;

  beforeAll(async () => {
    service = await startTestService({ settings: { ERRAND_DATABASE_POOL_SIZE: "20" } });
    connection = await service.connect();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)));

  /** Repeats a request that a busy service refused, as a client would. */
  async function retry<Result extends { status: number }>(request: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const response = await request();
      if (response.status !== 503) return response;
    }
  }

  const isAlive = async (token: string) =>
    (await createApi(service.url, { applicationId: connection.applicationId, token }).list()).status === 200;

  /** A code for the connection, created as on the consent page. */
  async function grantCode(): Promise<string> {
    const code = `errand_ac_${randomBytes(16).toString("hex")}`;
    await service.database.query(
      "insert into authorization_codes (code_hash, connection_id, redirect_uri, expires_at) values ($1, $2, $3, now() + interval '5 minutes')",
      [createHash("sha256").update(code).digest(), connection.connectionId, REDIRECT_URI],
    );
    return code;
  }

  const exchange = async (code: string) => {
    const response = await fetch(`${service.url}/v1/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code,
        redirect_uri: REDIRECT_URI,
        client_id: connection.applicationId,
      }),
    });
    return { status: response.status, body: (await response.json()) as { access_token?: string; error?: string } };
  };

  it("50 equal creates with one key create one execution", async () => {
    const api = createApi(service.url, connection);
    const answers = await times(50, () =>
      retry(() => api.create({ prompt: "Only once." }, { "idempotency-key": "storm" })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    // All 200 when the first response was lost and its request repeated.
    expect([[...Array<number>(49).fill(200), 201], Array<number>(50).fill(200)]).toContainEqual(statuses);
    expect(new Set(answers.map(({ body }) => body.execution.id)).size).toBe(1);
    const rows = await service.database.query("select id from executions where idempotency_key = 'storm'");
    expect(rows).toHaveLength(1);
    await expectLedgerAddsUp(service);
  });

  it("50 creates on a balance of 3 create three executions", async () => {
    const api = createApi(service.url, connection);
    const [owner] = await service.database.query<{ id: string; balance: string }>("select id, balance from owners");
    await service.operations.credits.grant(owner?.id ?? "", 3);
    // Spent down to 3, so that the ledger still adds up.
    const spend = Number(owner?.balance);
    await service.database.query(
      `with spent as (update owners set balance = balance - $2 where id = $1 returning id)
       insert into credit_entries (owner_id, execution_id, kind, credits) select id, new_id(), 'reserve', $2 from spent`,
      [owner?.id, spend],
    );
    const answers = await times(50, (index) =>
      retry(() => api.create({ prompt: "One of three." }, { "idempotency-key": `one of three, ${index}` })),
    );
    // 200 for a repeated request whose first response was lost.
    const created = answers.filter(({ status }) => status === 201 || status === 200);
    expect(new Set(created.map(({ body }) => body.execution.id)).size).toBe(3);
    expect(created).toHaveLength(3);
    expect(new Set(answers.filter((each) => !created.includes(each)).map(({ body }) => body.error.code))).toEqual(
      new Set(["INSUFFICIENT_CREDITS"]),
    );
    await expectLedgerAddsUp(service);
    await service.operations.credits.grant(owner?.id ?? "", 1_000);
  });

  it("20 exchanges of one code give one token, which the others revoke", async () => {
    const code = await grantCode();
    const answers = await times(20, () => retry(() => exchange(code)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
      new Set(["invalid_grant"]),
    );
    expect(await isAlive(winners[0]?.body.access_token ?? "")).toBe(false);
  });

  it("two exchanges for one connection leave one valid token", async () => {
    for (let round = 0; round < 10; round += 1) {
      const codes = [await grantCode(), await grantCode()];
      const tokens = (await Promise.all(codes.map(exchange))).map(({ body }) => body.access_token ?? "");
      const alive = await Promise.all(tokens.map(isAlive));
      expect(alive.filter(Boolean)).toHaveLength(1);
    }
  });

  it("20 cancels and 20 replays of one execution agree on one outcome", async () => {
    const fresh = await service.connect({ applicationId: connection.applicationId });
    const api = createApi(service.url, fresh);
    const { id } = await api.created({ prompt: "Cancel me." }, { "idempotency-key": "both" });
    await Promise.all([
      times(20, () => retry(() => api.cancel(id))),
      times(20, () => retry(() => api.create({ prompt: "Cancel me." }, { "idempotency-key": "both" }))),
    ]);
    expect((await api.get(id)).body.execution.terminal.status).toBe("canceled");
    await expectLedgerAddsUp(service);
  });

  it("20 rotations leave two valid secrets", async () => {
    const { application } = await service.operations.applications.register({
      name: "Rotating",
      type: "confidential",
      redirectUris: [REDIRECT_URI],
    });
    await times(20, () => service.operations.applications.rotateSecret(application.id));
    const rows = await service.database.query("select id from application_secrets where application_id = $1", [
      application.id,
    ]);
    expect(rows).toHaveLength(2);
  });
});
