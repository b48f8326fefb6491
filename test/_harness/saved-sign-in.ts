import type { Page } from "playwright-core";
import type { DemoShop } from "../../demo/shop.ts";
import { captureState } from "../../src/browser/state/browser-state.ts";
import { readConfig } from "../../src/config/config.ts";
import { createKeyRing } from "../../src/config/master-keys.ts";
import type { Probe, SavedSignIn, SealedSignIn } from "../../src/connections/vault/saved-sign-in.ts";
import { createVault } from "../../src/connections/vault/vault.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { saveSignIn } from "../../src/storage/sql/sign-ins.ts";
import type { TestBrowser } from "./browser.ts";
import { arriveAt, enterShop, signInToShop } from "./demo-shop.ts";
import type { TestConnection, TestService } from "./service.ts";

/** What the demo shop shows to members, and what it shows to signed-out visitors. */
export function shopProbe(shop: DemoShop): Probe {
  return { url: `${shop.url}/account`, mustSee: "Sign out", mustNotSee: "Sign in" };
}

/** A connection to the demo shop whose user has signed in there manually. */
export async function connectToShop(
  service: TestService,
  browser: TestBrowser,
  shop: DemoShop,
  {
    beforeCapture,
    ...options
  }: NonNullable<Parameters<TestService["connect"]>[0]> & {
    beforeCapture?: (page: Page) => Promise<void>;
  } = {},
): Promise<TestConnection> {
  const connection = await service.connect({
    ...options,
    registration: { homeUrl: shop.url, signInUrl: `${shop.url}/sign-in`, ...options.registration },
  });
  await signInAgain(service, browser, shop, connection, beforeCapture);
  return connection;
}

export async function signInAgain(
  service: TestService,
  browser: TestBrowser,
  shop: DemoShop,
  { connectionId }: TestConnection,
  beforeCapture: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  await using shopper = await enterShop(browser, shop);
  await shopper.open("/sign-in");
  await signInToShop(shopper.page);
  await arriveAt(shopper.page, "Hello, Demo Shopper");
  await beforeCapture(shopper.page);
  const { state } = await captureState({ context: shopper.page.context(), pages: [shopper.page], given: null });
  await storeSignIn(service, connectionId, { state, probe: shopProbe(shop) });
}

/** The saved state of a connection, decrypted. */
export async function readSignIn({ database, dataDir }: TestService, connectionId: string): Promise<SavedSignIn> {
  const [row] = await database.query<SealedSignIn>(
    `select key_id as "keyId", wrapped_key as "wrappedKey", ciphertext from saved_sign_ins where connection_id = $1`,
    [connectionId],
  );
  if (row === undefined) throw new Error("nothing is saved");
  return openTestVault(dataDir).open(connectionId, row);
}

/** Like the end of a manual sign-in: saved, and the connection active. */
export async function storeSignIn({ database, dataDir }: TestService, connectionId: string, signIn: SavedSignIn) {
  const vault = openTestVault(dataDir);
  await using storage = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
  await storage.kysely.transaction().execute(async (tx) => {
    await tx.updateTable("connections").set({ state: "ACTIVE" }).where("id", "=", connectionId).execute();
    await saveSignIn(tx, connectionId, vault.seal(connectionId, signIn));
  });
}

function openTestVault(dataDir: string) {
  return createVault(createKeyRing(readConfig({ ERRAND_DATA_DIR: dataDir }, dataDir)));
}
