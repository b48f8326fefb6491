import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { removeOldKeys, rotateKey } from "../../../src/cli/key.ts";
import { createKeyRing, identifyKey, type KeySettings } from "../../../src/config/master-keys.ts";
import type { SavedSignIn, SignInStore } from "../../../src/connections/vault/saved-sign-in.ts";
import { createVault, type Vault } from "../../../src/connections/vault/vault.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { type Database, openDatabase } from "../../../src/storage/database.ts";
import { createNotifications } from "../../../src/storage/notifications.ts";
import { createSecretStore } from "../../../src/storage/sql/key-rotation.ts";
import { createSignInStore, saveSignIn } from "../../../src/storage/sql/sign-ins.ts";
import { createTestDatabase, type TestDatabase } from "../../_harness/database.ts";
import { errandJson, runErrand, spawnErrand } from "../../_harness/errand.ts";

const NO_WEBHOOKS = { resealed: 0, unreadable: [] };
const newMasterKey = () => randomBytes(32).toString("base64url");
const signInOf = (connectionId: string): SavedSignIn => ({
  state: { cookies: [{ name: "session", value: `of ${connectionId}` }] },
  probe: { url: "https://shop.example/account", mustSee: "Sign out", mustNotSee: null },
});

describe("rotating the master key", () => {
  let disposables: AsyncDisposableStack;
  let testDatabase: TestDatabase;
  let database: Database;
  let store: SignInStore;
  let settings: KeySettings;
  let keyFile: string;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    testDatabase = disposables.use(await createTestDatabase());
    const connectionString = testDatabase.url;
    database = disposables.use(openDatabase({ connectionString, poolSize: 6, onError: () => {} }));
    const logger = createLogger("silent", process.stderr);
    const notifications = disposables.use(createNotifications({ connectionString, pool: database.pool, logger }));
    store = createSignInStore(database, notifications);
  });
  afterAll(() => disposables.disposeAsync());

  beforeEach(async () => {
    await testDatabase.query("delete from connections");
    const dataDir = mkdtempSync(join(tmpdir(), "errand-keys-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    settings = { secretKey: null, otherSecretKeys: [], dataDir };
    keyFile = join(dataDir, "secret.key");
  });

  /** As loaded by a process that starts now. */
  const openVault = (changed: Partial<KeySettings> = {}): Vault =>
    createVault(createKeyRing({ ...settings, ...changed }));

  const rotate = (changed: Partial<KeySettings> = {}, using = store) =>
    rotateKey({
      settings: { ...settings, ...changed },
      stores: [using],
      secrets: createSecretStore(database),
      onProgress: () => {},
    });

  const keysInFile = () => readFileSync(keyFile, "utf8").trim().split("\n");

  async function connectMany(count: number): Promise<string[]> {
    const rows = await testDatabase.query<{ id: string }>(
      `with people as (
         insert into users (name, email)
         select 'Ann', gen_random_uuid() || '@example.com' from generate_series(1, $1) returning id
       ), application as (
         insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id
       )
       insert into connections (application_id, user_id) select application.id, people.id from application, people
       returning id`,
      [count],
    );
    return rows.map(({ id }) => id);
  }

  async function save(vault: Vault, connectionId: string): Promise<void> {
    const sealed = vault.seal(connectionId, signInOf(connectionId));
    await database.kysely.transaction().execute((tx) => saveSignIn(tx, connectionId, sealed));
  }

  async function saveMany(vault: Vault, count: number): Promise<string[]> {
    const ids = await connectMany(count);
    for (const id of ids) await save(vault, id);
    return ids;
  }

  async function expectAllOpen(vault: Vault, ids: string[]): Promise<void> {
    for (const id of ids) {
      const stored = await store.find(id);
      expect(stored === null ? null : vault.open(id, stored)).toEqual(signInOf(id));
    }
  }

  describe("in the key file", () => {
    it("puts a new key first, readable by its owner only, and a running service uses it", async () => {
      const running = openVault();
      const ids = await saveMany(running, 3);
      const [first] = keysInFile();
      const { keyId, rewrapped, unreadable, left } = await rotate();
      expect({ rewrapped, unreadable, left }).toEqual({ rewrapped: 3, unreadable: [], left: 0 });
      expect(keysInFile()).toEqual([expect.not.stringContaining(first ?? ""), first]);
      expect(identifyKey(keysInFile()[0] ?? "")).toBe(keyId);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      // It has encrypted nothing since, so it learns the new key when it decrypts.
      await expectAllOpen(running, ids);
      expect(running.seal(ids[0] ?? "", signInOf("x")).keyId).toBe(keyId);
      await expectAllOpen(openVault(), ids);
    });

    it("works while another process keeps saving, and drops the old keys on request", async () => {
      const running = openVault();
      const ids = await saveMany(running, 250);
      let isRotating = true;
      const busy = (async () => {
        for (let turn = 0; isRotating; turn += 1) {
          const id = ids[turn % ids.length] ?? "";
          await save(running, id);
          await expectAllOpen(running, [id]);
        }
      })();
      const rotations = [await rotate(), await rotate()];
      isRotating = false;
      await busy;
      rotations.push(await rotate());
      expect(rotations.flatMap(({ unreadable }) => unreadable)).toEqual([]);
      expect(rotations.at(-1)?.left).toBe(0);
      expect(await removeOldKeys(keyFile, [store], 0)).toEqual({ outcome: "removed", keys: 3 });
      expect(keysInFile()).toHaveLength(1);
      await expectAllOpen(openVault(), ids);
      await expectAllOpen(running, ids);
    });

    it("loses nothing when it is interrupted, and the next rotation does the rest", async () => {
      const ids = await saveMany(openVault(), 450);
      let pages = 0;
      const broken: SignInStore = {
        ...store,
        rewrap(keys) {
          pages += 1;
          if (pages === 2) throw new Error("the cable was pulled");
          return store.rewrap(keys);
        },
      };
      await expect(rotate({}, broken)).rejects.toThrow("the cable was pulled");
      expect(await store.countByKey()).toHaveLength(2);
      await expectAllOpen(openVault(), ids);
      expect(await removeOldKeys(keyFile, [store], 0)).toMatchObject({ outcome: "still used" });
      expect(keysInFile()).toHaveLength(2);
      const { keyId } = await rotate();
      expect(await store.countByKey()).toEqual([{ keyId, count: 450 }]);
      await expectAllOpen(openVault(), ids);
    });

    it("skips what cannot be decrypted, names it, and keeps the keys that it may need", async () => {
      const ids = await saveMany(openVault(), 3);
      const stranger = createVault(createKeyRing({ ...settings, secretKey: newMasterKey() }));
      const [lost = ""] = await saveMany(stranger, 1);
      const spoiled = ids.pop() ?? "";
      await testDatabase.query(
        "update saved_sign_ins set wrapped_key = set_byte(wrapped_key, 40, 255 - get_byte(wrapped_key, 40)) where connection_id = $1",
        [spoiled],
      );
      const { rewrapped, unreadable, left } = await rotate();
      expect({ rewrapped, left }).toEqual({ rewrapped: 2, left: 0 });
      expect(unreadable.map(({ connectionId }) => connectionId)).toEqual([spoiled, lost].toSorted());
      await expectAllOpen(openVault(), ids);
      expect(await removeOldKeys(keyFile, [store], 0)).toMatchObject({
        outcome: "still used",
        keyIds: [expect.any(String)],
      });
      await store.delete(spoiled);
      expect(await removeOldKeys(keyFile, [store], 0)).toEqual({ outcome: "removed", keys: 1 });
    });

    it.each([
      ["empty", "\n", "is empty"],
      ["truncated", `${"k".repeat(43)}\n${"k".repeat(20)}\n`, "fewer than 32 characters"],
    ])("is rejected when the file is %s", async (_, text, reason) => {
      openVault();
      writeFileSync(keyFile, text);
      await expect(rotate()).rejects.toThrow(reason);
      expect(readFileSync(keyFile, "utf8")).toBe(text);
      expect(() => openVault()).toThrow(reason);
    });
  });

  it("in the settings: each process decrypts what the other encrypted, until everything uses the new key", async () => {
    const [before, after] = [newMasterKey(), newMasterKey()];
    const old = openVault({ secretKey: before });
    const ids = await saveMany(old, 3);
    const prepared = openVault({ secretKey: before, otherSecretKeys: [after] });
    const swapped = openVault({ secretKey: after, otherSecretKeys: [before] });
    await save(swapped, ids[0] ?? "");
    await expectAllOpen(prepared, ids);
    await expectAllOpen(swapped, ids);
    const rotation = await rotate({ secretKey: after, otherSecretKeys: [before] });
    expect(rotation).toEqual({
      keyId: identifyKey(after),
      keyFile: null,
      rewrapped: 2,
      webhooks: NO_WEBHOOKS,
      unreadable: [],
      left: 0,
    });
    await expectAllOpen(openVault({ secretKey: after }), ids);
    expect(await rotate({ secretKey: after })).toMatchObject({ rewrapped: 0, unreadable: [] });
    await expect(expectAllOpen(old, ids)).rejects.toThrow(identifyKey(after));
  });

  describe("on the command line", () => {
    let env: Record<string, string>;
    beforeEach(() => {
      env = { DATABASE_URL: testDatabase.url, ERRAND_DATA_DIR: settings.dataDir };
    });

    it("can run twice at once, reports what it did, and lists the keys", async () => {
      const ids = await saveMany(openVault(), 5);
      const answers = await Promise.all([1, 2].map(() => spawnErrand(["key", "rotate", "--json"], env)));
      const [done] = answers.filter(({ code }) => code === 0);
      // Both succeed if one had ended before the other began; otherwise the second was told to wait.
      for (const { code, stderr } of answers)
        if (code !== 0) expect(stderr).toContain("Another errand key rotate is running");
      const succeeded = answers.filter(({ code }) => code === 0).length;
      expect(JSON.parse(done?.stdout ?? "")).toEqual({
        key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        rewrapped: 5,
        webhook_secrets: 0,
        unreadable: [],
      });
      expect(keysInFile()).toHaveLength(1 + succeeded);
      const { keys } = await errandJson<{ keys: object[] }>(["key", "list"], env);
      expect(keys).toHaveLength(1 + succeeded);
      expect(keys[0]).toMatchObject({ current: true, missing: false, sign_ins: 5 });
      expect(keys[1]).toMatchObject({ current: false, missing: false, sign_ins: 0 });
      await expectAllOpen(openVault(), ids);
      for (const { stdout, stderr } of answers) {
        for (const key of keysInFile()) expect(stdout + stderr).not.toContain(key);
      }
    });

    it("with keys in the settings creates none, explains the steps, and fails for what it cannot decrypt", async () => {
      const [before, after] = [newMasterKey(), newMasterKey()];
      const [lost = ""] = await saveMany(openVault({ secretKey: before }), 1);
      const withoutOld = { ...env, ERRAND_SECRET_KEY: after };
      const failed = await runErrand(["key", "rotate"], withoutOld);
      expect(failed.code).toBe(1);
      expect(failed.stdout).toContain(lost);
      expect(failed.stdout).toContain(identifyKey(before));
      expect(failed.stdout).toMatch(/1\. Add the new key.*2\. Swap.*3\. Run errand key rotate.*4\. Remove/s);
      const refused = await runErrand(["key", "rotate", "--forget-old"], withoutOld);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(await errandJson(["key", "rotate"], { ...withoutOld, ERRAND_OTHER_SECRET_KEYS: before })).toEqual({
        key_id: identifyKey(after),
        rewrapped: 1,
        webhook_secrets: 0,
        unreadable: [],
      });
    });
  });
});
