import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import type { BrowserState } from "../../src/browser/state/browser-state.ts";
import { readConfig } from "../../src/config/config.ts";
import { createKeyRing } from "../../src/config/master-keys.ts";
import { createVault } from "../../src/connections/vault/vault.ts";
import type { Execution } from "../../src/contract/execution.ts";
import { findFreePort } from "../../src/lib/free-port.ts";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { saveSignIn } from "../../src/storage/sql/sign-ins.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { type LoadBalancer, startLoadBalancer } from "../_harness/load-balancer.ts";
import { agree, authorizePath, newPkce, postForm, REDIRECT_URI, Visitor } from "../_harness/oauth-flow.ts";
import { type ObjectStore, startObjectStore } from "../_harness/object-store.ts";
import { PUBLIC } from "../_harness/service.ts";

const SECRET_KEY = "a key that all of the machines share";

describe("two APIs behind a load balancer and two workers, each as if on its own machine", () => {
  let parts: AsyncDisposableStack;
  let store: ObjectStore;
  let database: TestDatabase;
  let storage: Database;
  let balancer: LoadBalancer;
  let common: Record<string, string>;
  let site: Server;
  let siteUrl: string;
  let [first, second]: Machine[] = [];
  let firstWorker: RunningErrand;
  let applicationId: string;
  let users = 0;

  interface Machine {
    url: string;
    dataDir: string;
    errand: RunningErrand;
  }

  beforeAll(async () => {
    parts = new AsyncDisposableStack();
    site = createServer((incoming, answer) => {
      const isKnown = incoming.headers.cookie?.includes("session=well-known") === true;
      answer.setHeader("content-type", "text/html; charset=utf-8");
      answer.end(`<title>Shop</title><h1>Shop</h1><p>Kettle: €12.50</p>
        <p>${isKnown ? "Customer name: Robin Larch" : "You are a stranger"}</p>`);
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    siteUrl = `http://${host}`;
    store = parts.use(await startObjectStore());
    database = parts.use(await createTestDatabase());
    storage = parts.use(openDatabase({ connectionString: database.url, poolSize: 2, onError: () => {} }));
    balancer = parts.use(await startLoadBalancer());
    common = {
      ...store.settings,
      DATABASE_URL: database.url,
      ERRAND_SECRET_KEY: SECRET_KEY,
      ERRAND_PUBLIC_URL: balancer.url,
      ERRAND_TRUST_PROXY: "true",
      ERRAND_ALLOW_HOSTS: host,
      ERRAND_SHUTDOWN_SECONDS: "120",
    };
    [first, second] = await Promise.all([startApi(), startApi()]);
    firstWorker = await startWorker();
    const { application } = await createOperations(storage).applications.register({
      ...PUBLIC,
      redirectUris: [REDIRECT_URI],
    });
    applicationId = application.id;
  });
  afterAll(async () => {
    await parts[Symbol.asyncDispose]();
    site.closeAllConnections();
    site.close();
  });

  async function startApi(): Promise<Machine> {
    const port = await findFreePort();
    const data = parts.use(await createDataDir());
    const errand = await startErrand({ ...common, ...data.env, ERRAND_PORT: String(port) }, [
      "start",
      "--roles",
      "api",
    ]);
    parts.defer(async () => void (await stop(errand)));
    balancer.ports.push(port);
    return { url: `http://127.0.0.1:${port}`, dataDir: data.path, errand };
  }

  async function startWorker(settings: Record<string, string> = {}): Promise<RunningErrand> {
    const data = parts.use(await createDataDir());
    const errand = await startErrand({ ...common, ...data.env, ...settings }, ["start", "--roles", "worker"]);
    parts.defer(async () => void (await stop(errand)));
    return errand;
  }

  const stop = (errand: RunningErrand) => errand.end("SIGTERM");

  async function connect() {
    users += 1;
    const { people, connections } = createOperations(storage);
    const person = await people.findOrCreate(`user-${users}@example.com`);
    const { connection, accessToken: token } = await connections.connect(applicationId, person.id);
    const on = ({ url }: { url: string } = balancer) => createApi(url, { applicationId, token });
    return { connectionId: connection.id, on };
  }

  const look = () => ({ prompt: "What is the price of the kettle?", start_url: `${siteUrl}/` });

  async function ended(api: Api, id: string): Promise<Execution> {
    const { execution } = (await api.get(id, "?wait=30")).body;
    return execution.finished_at === null ? ended(api, id) : execution;
  }

  it("one waits for, follows and serves what the other created, and neither stores it on its disk", async () => {
    const { on } = await connect();
    const { id } = await on(first).created(look());
    const execution = await ended(on(second), id);
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ status: "COMPLETED", usage: { charged: true } });
    expect((await on(second).events(id)).body).toEqual((await on(first).events(id)).body);
    const { artifacts } = (await on(second).artifacts(id)).body;
    expect(artifacts.map(({ kind }) => kind)).toContain("screenshot");
    for (const { id: artifactId } of artifacts) {
      const [one, other] = [await on(first).artifact(id, artifactId), await on(second).artifact(id, artifactId)];
      expect([one.status, other.status]).toEqual([200, 200]);
      expect(one.body.equals(other.body)).toBe(true);
    }
    for (const dataDir of [first?.dataDir ?? "", second?.dataDir ?? ""]) {
      expect((await readdir(dataDir, { recursive: true })).filter((path) => path.includes("artifacts"))).toEqual([]);
    }
  });

  it("an idempotency key creates one execution, whichever of them is asked, and even concurrently", async () => {
    const { on } = await connect();
    const key = { "idempotency-key": "only-once" };
    const made = await Promise.all([first, second, first, second].map((machine) => on(machine).create(look(), key)));
    expect(new Set(made.map(({ body }) => body.execution.id)).size).toBe(1);
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it("a person signs up, consents and is connected even though every request goes to another machine", async () => {
    const before = new Map(balancer.answered);
    const visitor = new Visitor(balancer.url);
    await visitor.signUp();
    const { verifier, challenge } = newPkce();
    const back = await agree(visitor, authorizePath(applicationId, challenge));
    const { status, body } = await postForm(`${balancer.url}/v1/oauth/token`, {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: REDIRECT_URI,
      client_id: applicationId,
      code_verifier: verifier,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    for (const { url } of [first, second].filter((machine) => machine !== undefined)) {
      const list = await createApi(url, { applicationId, token: body.access_token }).list();
      expect(list).toMatchObject({ status: 200, body: { executions: [] } });
      const console = await new Visitor(url, { cookie: cookieOf(visitor) }).get("/console/api/me");
      expect(console.status, console.text).toBe(200);
    }
    for (const port of balancer.ports) expect(balancer.answered.get(port)).toBeGreaterThan(before.get(port) ?? 0);
  });

  it("the setup code works on every machine", () => {
    const codes = [first, second].map((machine) => /the setup code (\S+?)"/.exec(machine?.errand.stderr() ?? "")?.[1]);
    expect(codes[0]).toMatch(/\w/);
    expect(codes[1]).toBe(codes[0]);
  });

  it("one of each is stopped during work: nothing is lost, and a signed-in user stays signed in", {
    timeout: 180_000,
  }, async () => {
    const signedIn = await connect();
    await signIn(signedIn.connectionId);
    const ask = async (api: Api) => {
      const { id } = await api.created({ prompt: "What is the customer name?", start_url: `${siteUrl}/` });
      return ended(api, id);
    };
    const known = { status: "COMPLETED", result: { final_text: expect.stringContaining("Robin Larch") } };
    const before = await ask(signedIn.on(first));
    expect(before, JSON.stringify(before.error)).toMatchObject(known);

    const secondWorker = await startWorker({ ERRAND_BACKGROUND_JOBS: "off" });
    const people = await Promise.all(Array.from({ length: 4 }, connect));
    const asked = once(site, "request");
    const created = await Promise.all(
      people.map(async ({ on }) => ({ api: on(), id: (await on().created(look())).id })),
    );
    await asked;
    const exits = await Promise.all([stop(firstWorker), first === undefined ? 1 : stop(first.errand)]);
    expect(exits).toEqual([0, 0]);
    const runners =
      "select from pg_stat_activity where application_name like 'errand jobs %' and datname = current_database()";
    expect(await database.query(runners), "a worker that runs no background jobs keeps no connection for them").toEqual(
      [],
    );
    for (const { api, id } of created) {
      const execution = await ended(api, id);
      expect(execution, JSON.stringify(execution.error)).toMatchObject({ status: "COMPLETED" });
    }
    const after = await ask(signedIn.on());
    expect(after, JSON.stringify(after.error)).toMatchObject(known);
    await expectLedgerAddsUp({ database });
    expect(await stop(secondWorker)).toBe(0);
  });

  /** Saves a sign-in as a manual sign-in does, on a machine that shares the key. */
  async function signIn(connectionId: string): Promise<void> {
    const cookie = { name: "session", value: "well-known", domain: "127.0.0.1", path: "/", expires: -1 };
    const state: BrowserState = {
      storage: { cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: "Lax" }], origins: [] },
      sessionStorage: [],
    };
    const probe = { url: `${siteUrl}/`, mustSee: "Customer name", mustNotSee: "You are a stranger" };
    const vault = createVault(createKeyRing(readConfig({ ERRAND_SECRET_KEY: SECRET_KEY }, first?.dataDir ?? "")));
    await storage.kysely
      .transaction()
      .execute((tx) => saveSignIn(tx, connectionId, vault.seal(connectionId, { state, probe })));
  }
});

function cookieOf(visitor: Visitor): string {
  return [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}
