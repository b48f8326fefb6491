import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type {
  SealedSignIn,
  SignInHolder,
  SignInStore,
  StoredSignIn,
} from "../../src/connections/vault/saved-sign-in.ts";
import type { ExecutionStore } from "../../src/executions/execution-store.ts";
import type { Claim, QueueStore } from "../../src/executions/queue.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { createNotifications, type Notifications } from "../../src/storage/notifications.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";
import { createSignInStore, saveSignIn } from "../../src/storage/sql/sign-ins.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export const LEASE_MS = 60_000;

/** The stores around saved sign-ins, on the file's own database. */
interface SignInStage {
  testDatabase: TestDatabase;
  database: Database;
  notifications: Notifications;
  signIns: SignInStore;
  executions: ExecutionStore;
  queue: QueueStore;
  /** A connection for this test only; the functions below use it by default. */
  connectionId: string;
}

/** Opened before the tests of a file, and closed after them. */
export function useSignInStage() {
  const stage = {} as SignInStage;
  const parts = new AsyncDisposableStack();

  beforeAll(async () => {
    const testDatabase = parts.use(await createTestDatabase());
    const connectionString = testDatabase.url;
    const database = parts.use(openDatabase({ connectionString, poolSize: 12, onError: () => {} }));
    const logger = createLogger("silent", process.stderr);
    const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
    Object.assign(stage, {
      ...{ testDatabase, database, notifications },
      signIns: createSignInStore(database, notifications),
      executions: createExecutionStore(database, notifications),
      queue: createQueueStore(database, notifications),
    });
    await testDatabase.query("update owners set balance = 100000");
    await testDatabase.query(
      "insert into credit_entries (owner_id, kind, credits) select id, 'grant', balance - 1000 from owners",
    );
  });
  afterAll(() => parts.disposeAsync());

  beforeEach(async () => {
    stage.connectionId = await connect();
  });

  async function connect(): Promise<string> {
    const [row] = await stage.testDatabase.query<{ id: string }>(
      `with person as (
         insert into users (name, email) values ('Ann', gen_random_uuid() || '@example.com') returning id
       ), application as (
         insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id
       )
       insert into connections (application_id, user_id) select application.id, person.id from application, person
       returning id`,
    );
    return row?.id ?? "";
  }

  async function save(sealed = seal(), id = stage.connectionId): Promise<StoredSignIn> {
    await stage.database.kysely.transaction().execute((tx) => saveSignIn(tx, id, sealed));
    return read(id);
  }

  async function read(id = stage.connectionId): Promise<StoredSignIn> {
    const stored = await stage.signIns.find(id);
    if (stored === null) throw new Error("there is no sign-in");
    return stored;
  }

  async function create(id = stage.connectionId): Promise<string> {
    const creation = await stage.executions.create({
      connectionId: id,
      prompt: "Say hello.",
      startUrl: null,
      outputSchema: null,
      approval: null,
      metadata: {},
      recipe: null,
      credits: 1,
      maxQueued: null,
      idempotency: null,
      traceparent: null,
    });
    if (creation.outcome !== "created") throw new Error(creation.outcome);
    return creation.execution.id;
  }

  async function claim(executionId: string): Promise<Claim> {
    const claimed = await stage.queue.claimOne(executionId, LEASE_MS);
    if (claimed === null) throw new Error("it cannot be claimed");
    return claimed;
  }

  async function stateOf(): Promise<string | undefined> {
    const [row] = await stage.testDatabase.query<{ state: string }>("select state from connections where id = $1", [
      stage.connectionId,
    ]);
    return row?.state;
  }

  return { stage, connect, save, read, create, claim, stateOf };
}

export function seal(keyId = "aaaa"): SealedSignIn {
  return { keyId, wrappedKey: randomBytes(61), ciphertext: randomBytes(200) };
}

export function runOf({ execution, fence }: Claim): SignInHolder {
  return { kind: "run", executionId: execution.id, fence };
}
