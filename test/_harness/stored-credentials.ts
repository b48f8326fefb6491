import { readConfig } from "../../src/config/config.ts";
import { createKeyRing } from "../../src/config/master-keys.ts";
import { createSignInCredentials } from "../../src/connections/sign-in/store-credentials.ts";
import { createVault } from "../../src/connections/vault/vault.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createCredentialStore } from "../../src/storage/sql/credentials.ts";
import { RequestLog } from "../sites/request-log.ts";
import type { RunningSite } from "../sites/serve-site.ts";
import { serveSite } from "../sites/serve-site.ts";
import { createTwoFactorSite, READER } from "../sites/sign-in/two-factor.ts";
import { storeSignIn } from "./saved-sign-in.ts";
import type { TestConnection, TestService } from "./service.ts";

export type Library = RunningSite<ReturnType<typeof createTwoFactorSite>["state"]>;

export function openLibrary(host = "127.0.0.1"): Promise<Library> {
  return serveSite(createTwoFactorSite(), { name: "library", host, log: new RequestLog() });
}

/** A connection to the library whose saved sign-in has expired. */
export async function connectToLibrary(
  service: TestService,
  library: Library,
  registration: NonNullable<Parameters<TestService["connect"]>[0]>["registration"] = {},
): Promise<TestConnection> {
  const connection = await service.connect({
    registration: {
      homeUrl: library.url,
      signInUrl: `${library.url}/sign-in`,
      storedCredentials: true,
      ...registration,
    },
  });
  await storeSignIn(service, connection.connectionId, {
    state: { storage: { cookies: [], origins: [] }, sessionStorage: [] },
    probe: { url: `${library.url}/account`, mustSee: "Sign out", mustNotSee: "Sign in" },
  });
  return connection;
}

export async function storeCredentials(
  { operations, database: { url }, dataDir }: TestService,
  { connectionId, applicationId }: TestConnection,
  changed: Partial<Record<"userName" | "password" | "totpSecret", string>> = {},
): Promise<{ code: string | null }> {
  await using database = openDatabase({ connectionString: url, poolSize: 1, onError: () => {} });
  const credentials = createSignInCredentials({
    applications: operations.applications,
    store: createCredentialStore(database),
    vault: createVault(createKeyRing(readConfig({ ERRAND_DATA_DIR: dataDir }, dataDir))),
    clock: systemClock,
  });
  const { userName, password, totpSecret } = READER;
  return await credentials.store({ id: connectionId, applicationId }, { userName, password, totpSecret, ...changed });
}

/** What is known about the stored credentials without decrypting them. */
export async function readRenewal({ database }: TestService, { connectionId }: TestConnection) {
  const [row] = await database.query<{ isRenewed: boolean; failure: string | null }>(
    `select renewed_at is not null as "isRenewed", failure from sign_in_credentials where connection_id = $1`,
    [connectionId],
  );
  return row ?? null;
}
