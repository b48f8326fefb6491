import { readConfig } from "../../src/config/config.ts";
import { createKeyRing } from "../../src/config/master-keys.ts";
import type { SavedSignIn } from "../../src/connections/vault/saved-sign-in.ts";
import { createVault } from "../../src/connections/vault/vault.ts";
import { CANCELED } from "../../src/executions/outcomes.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createCredentialStore } from "../../src/storage/sql/credentials.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";
import { saveSignIn } from "../../src/storage/sql/sign-ins.ts";
import { createSecretSeal, mintWebhookSecret } from "../../src/webhooks/webhook-secret.ts";
import { createApi } from "./api.ts";
import { visitConsole } from "./console.ts";
import { keepArtifact } from "./console-world.ts";
import { issueMcpToken } from "./mcp.ts";
import { openRecipes } from "./recipes.ts";
import type { TestConnection, TestService } from "./service.ts";
import { VERIFIED } from "./worker.ts";

/** A complete installation, with rows in every table and an execution in every state. */
export interface Installation {
  /** With a saved sign-in; its executions have ended. */
  member: TestConnection;
  signIn: SavedSignIn;
  completedId: string;
  artifact: { id: string; data: Buffer };
  queuedId: string;
  /** Claimed, but not begun. */
  claimedId: string;
  begunId: string;
}

const CREDENTIALS = {
  userName: "member@example.com",
  password: "a password",
  totp: null,
  hosts: ["shop.example"],
  isHttpsOnly: true,
};

/** Characters that COPY, JSON and shells may mishandle. */
export const ODD_TEXT = "Line one\nline two\ttab \\N back\\slash \\. \"quotes\" 'single' ü 漢字 🦊\r\nend\u2028";

export async function fillInstallation(service: TestService): Promise<Installation> {
  await visitConsole(service, { isOperator: true });
  await visitConsole(service, { credits: 50 });
  await using disposables = new AsyncDisposableStack();
  const database = disposables.use(
    openDatabase({ connectionString: service.database.url, poolSize: 4, onError: () => {} }),
  );
  const logger = createLogger("silent", process.stderr);
  const notifications = disposables.use(
    createNotifications({ connectionString: service.database.url, pool: database.pool, logger }),
  );
  const queue = createQueueStore(database, notifications);
  const keyRing = createKeyRing(readConfig({ ERRAND_DATA_DIR: service.dataDir }, service.dataDir));

  async function createOne(connection: TestConnection, prompt: string, key?: string): Promise<string> {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    return (await createApi(service.url, connection).created({ prompt }, headers)).id;
  }

  async function claim(id: string): Promise<number> {
    const claimed = await queue.claimOne(id, 600_000);
    if (claimed === null) throw new Error("it cannot be claimed");
    return claimed.fence;
  }

  const member = await service.connect({ registration: { type: "confidential", name: ODD_TEXT.slice(0, 40) } });
  await issueMcpToken(service, member.connectionId);
  const signIn: SavedSignIn = {
    state: { cookies: [{ name: "session", value: "of the member" }] },
    probe: { url: "https://shop.example/account", mustSee: "Sign out", mustNotSee: null },
  };
  await database.kysely.transaction().execute(async (tx) => {
    await saveSignIn(tx, member.connectionId, createVault(keyRing).seal(member.connectionId, signIn));
  });
  const sealed = createVault(keyRing).sealCredentials(member.connectionId, CREDENTIALS);
  await createCredentialStore(database).save(member.connectionId, sealed);

  const completedId = await createOne(member, ODD_TEXT, "the-key");
  const fence = await claim(completedId);
  await queue.begin(completedId, fence);
  await queue.appendEvent(completedId, fence, { type: "step", data: { text: ODD_TEXT } });
  const data = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at) % 251));
  const kept = { name: ODD_TEXT.slice(0, 30), contentType: "image/png", kind: "screenshot", data };
  const artifact = { id: await keepArtifact(service, completedId, kept), data };
  await queue.finish(completedId, fence, {
    ...VERIFIED,
    status: "COMPLETED",
    terminal: { status: "verified", reason: ODD_TEXT },
  } as Parameters<typeof queue.finish>[2]);
  const canceledId = await createOne(member, "Never mind.");
  await queue.finish(canceledId, await claim(canceledId), CANCELED);

  const { applicationId } = member;
  const [waiting, claimed, begun] = [
    await service.connect({ applicationId }),
    await service.connect({ applicationId }),
    await service.connect({ applicationId }),
  ];
  const queuedId = await createOne(waiting, "Wait.");
  const claimedId = await createOne(claimed, "Be claimed.");
  await claim(claimedId);
  const begunId = await createOne(begun, "Begin.");
  await queue.begin(begunId, await claim(begunId));

  await service.database.query(
    `insert into spending_entries (connection_id, execution_id, reservation_id, kind, amount, currency, month)
     select connection_id, executions.id, executions.id, kind, 1690, 'EUR', '2026-03-01'
     from executions, unnest(array['reserve', 'send', 'capture']) as kind
     where executions.id = $1 or executions.id = $2 and kind <> 'capture'`,
    [completedId, begunId],
  );
  await addRecipe(service, applicationId, completedId);
  await addWebhook(service, applicationId, createSecretSeal(keyRing));
  await service.database.query(
    `insert into owner_keys (owner_id, application_id, name, scope, key_hash)
     select owner_id, id, 'Deploy script', 'read', '\\x02' from applications where id = $1`,
    [applicationId],
  );
  await service.database.query(
    `insert into authorization_codes (code_hash, connection_id, redirect_uri, expires_at)
     values ('\\x01', $1, 'http://127.0.0.1/callback', now() + interval '1 minute')`,
    [member.connectionId],
  );
  await service.database.query(
    `insert into sign_in_attempts (application_id, user_id, redirect_uri, expires_at)
     values ($1, $2, 'http://127.0.0.1/callback', now() + interval '1 minute')`,
    [applicationId, member.userId],
  );
  await service.database.query(
    "insert into verifications (identifier, value, expires_at) values ('who', 'what', now() + interval '1 minute')",
  );
  await service.database.query(
    `with former as (insert into applications (owner_id, name, type) select id, 'Former', 'public' from owners limit 1)
     select 1`,
  );
  await service.database.query("delete from applications where name = 'Former'");
  return { member, signIn, completedId, artifact, queuedId, claimedId, begunId };
}

async function addWebhook(
  { database }: TestService,
  applicationId: string,
  seal: ReturnType<typeof createSecretSeal>,
): Promise<void> {
  const [row] = await database.query<{ id: string }>("select new_id() as id");
  const { keyId, box } = seal.seal(row?.id ?? "", mintWebhookSecret());
  await database.query(
    `with endpoint as (
       insert into webhook_endpoints (id, application_id, url, secret_key_id, secret_box)
       values ($1, $2, 'https://receiver.example/hook', $3, $4) returning id
     ), delivery as (
       insert into webhook_deliveries (endpoint_id, type, facts) select id, 'credits.low', '{"balance": 1}' from endpoint
       returning id
     )
     insert into webhook_attempts (delivery_id, at, duration_ms, error) select id, now(), 12, 'no answer' from delivery`,
    [row?.id, applicationId, keyId, box],
  );
}

async function addRecipe({ database }: TestService, applicationId: string, executionId: string): Promise<void> {
  await using recipes = openRecipes(database.url);
  const id = await recipes.save({ applicationId }, { template: ODD_TEXT, variables: {} });
  await database.query("update recipe_versions set execution_id = $1, origin = 'learned'", [executionId]);
  await database.query(
    "insert into recipe_days (recipe_id, day, replayed, last_run_at) values ($1, '2026-03-01', 3, '2026-03-01T10:00:00Z')",
    [id],
  );
  const body = JSON.stringify({ template: ODD_TEXT, variables: {} });
  await database.query(
    "insert into recipe_drafts (execution_id, body, tokens, duration_ms) values ($1, $2, 1200, 3400)",
    [executionId, body],
  );
}
