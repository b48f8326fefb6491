import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiService, createApiService, type SignInBrowsers } from "../../src/app/api-service.ts";
import { createOperations, type Operations } from "../../src/app/operations.ts";
import type { Telemetry } from "../../src/app/telemetry.ts";
import type { Registration } from "../../src/applications/applications.ts";
import { readConfig } from "../../src/config/config.ts";
import type { HttpTimeouts } from "../../src/http/server-options.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { reservePort } from "../../src/lib/free-port.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export interface TestService extends AsyncDisposable {
  url: string;
  service: ApiService;
  operations: Operations;
  database: TestDatabase;
  dataDir: string;
  /** All log lines. */
  log: string[];
  /** An application, a connected user and the token. Confidential ones have a secret. */
  connect(options?: {
    registration?: Partial<Registration>;
    applicationId?: string;
    email?: string;
  }): Promise<TestConnection>;
}

export interface TestConnection {
  applicationId: string;
  clientSecret: string | null;
  connectionId: string;
  userId: string;
  token: string;
}

interface TestServiceOptions {
  settings?: Record<string, string>;
  clock?: Clock;
  /** For manual sign-ins, which are unavailable without them. */
  browsers?: SignInBrowsers;
  /** The shop for first errands. */
  demoUrl?: string;
  telemetry?: Telemetry;
  /** A built console, instead of the one that may exist. */
  consoleFolder?: string;
  timeouts?: HttpTimeouts;
}

/** Far above what a test sends, unless it tests the limit. */
const GENEROUS = {
  ERRAND_CREATES_PER_MINUTE: "1000000",
  ERRAND_READS_PER_MINUTE: "1000000",
  ERRAND_RATE_BURST: "1000000",
  ERRAND_SIGN_INS_PER_MINUTE: "1000000",
  ERRAND_LOG_LEVEL: "debug",
};

/** The whole service on a real database and a real port. */
export async function startTestService({
  settings = {},
  clock,
  browsers,
  demoUrl,
  consoleFolder,
  timeouts,
  telemetry,
}: TestServiceOptions = {}): Promise<TestService> {
  await using disposables = new AsyncDisposableStack();
  const testDatabase = disposables.use(await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), "errand-service-"));
  disposables.defer(() => rm(dataDir, { recursive: true }));
  const { port, release } = await reservePort();
  const config = readConfig({ ...GENEROUS, ERRAND_DATA_DIR: dataDir, ERRAND_PORT: String(port), ...settings }, dataDir);
  const log: string[] = [];
  const logger = createLogger(config.logLevel, { write: (line) => log.push(line) });
  const database = disposables.use(
    openDatabase({
      connectionString: testDatabase.url,
      poolSize: config.databasePoolSize,
      onError: (error) => log.push(error.message),
    }),
  );
  const notifications = disposables.use(
    createNotifications({ connectionString: testDatabase.url, pool: database.pool, logger }),
  );
  const service = disposables.use(
    await createApiService({
      config,
      database,
      notifications,
      logger,
      browsers,
      demoUrl,
      consoleFolder,
      ...(telemetry === undefined ? {} : { telemetry }),
      ...(clock === undefined ? {} : { clock }),
      ...(timeouts === undefined ? {} : { timeouts }),
    }),
  );
  disposables.defer(() => service.beginStopping());
  await release();
  await service.app.listen({ host: config.host, port });
  const operations = createOperations(database);
  const owned = disposables.move();
  return {
    url: config.publicUrl,
    service,
    operations,
    database: testDatabase,
    dataDir,
    log,
    connect: (options) => connect(operations, options),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

let people = 0;

async function connect(
  { applications, people: personStore, connections }: Operations,
  {
    registration = {},
    applicationId,
    email = `person-${process.pid}-${++people}@example.com`,
  }: {
    registration?: Partial<Registration>;
    applicationId?: string;
    email?: string;
  } = {},
): Promise<TestConnection> {
  const registered = applicationId === undefined ? await applications.register({ ...PUBLIC, ...registration }) : null;
  const id = registered?.application.id ?? applicationId ?? "";
  const person = await personStore.findOrCreate(email);
  const { connection, accessToken } = await connections.connect(id, person.id);
  return {
    applicationId: id,
    clientSecret: registered?.clientSecret ?? null,
    connectionId: connection.id,
    userId: person.id,
    token: accessToken,
  };
}

/** A plain public application. */
export const PUBLIC: Registration = {
  name: "Test application",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback"],
};
