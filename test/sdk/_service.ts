import { createServer } from "node:net";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, startErrand } from "../_harness/errand.ts";

/** `errand start` with its demo shop, as a developer has it. */
export interface DeveloperService extends AsyncDisposable {
  url: string;
  demoUrl: string;
  database: TestDatabase;
  /** Runs a command of errand, with --json. */
  command<Result>(...args: string[]): Promise<Result>;
  /** A public application for the demo shop. */
  register(...options: string[]): Promise<string>;
  /** An application with a user, as environment variables. */
  connect(): Promise<{ ERRAND_URL: string; APPLICATION_ID: string; ACCESS_TOKEN: string }>;
}

export async function startDeveloperService(settings: Record<string, string> = {}): Promise<DeveloperService> {
  await using parts = new AsyncDisposableStack();
  const data = parts.use(await createDataDir());
  const database = parts.use(await createTestDatabase());
  const env = { ...data.env, DATABASE_URL: database.url, ERRAND_SHUTDOWN_SECONDS: "2", ...settings };
  const running = await startErrand({ ...env, ERRAND_DEMO: "true" }, ["start", "--roles", "api,worker"]);
  parts.defer(async () => void (await running.end("SIGTERM")));
  const { url, demoUrl } = running;

  const command = <Result>(...args: string[]) => errandJson<Result>(args, env);
  const register = async (...options: string[]) => {
    const application = ["--name", "Kettle Watch", "--type", "public", "--home-url", `${demoUrl}/`];
    return (await command<{ id: string }>("app", "create", ...application, ...options)).id;
  };
  const owned = parts.move();
  return {
    url,
    demoUrl,
    database,
    command,
    register,
    async connect() {
      const id = await register();
      const user = ["--application", id, "--user", "ada@example.com"];
      const { access_token } = await command<{ access_token: string }>("connect", ...user);
      return { ERRAND_URL: url, APPLICATION_ID: id, ACCESS_TOKEN: access_token };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A port that is free now, for a program that must know its own URL before it starts. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
