import { createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SavedSignIn, SealedSignIn } from "../../../src/connections/vault/saved-sign-in.ts";
import { createVault, SignInTooLarge, SignInUnreadable, type Vault } from "../../../src/connections/vault/vault.ts";
import { type BoxLabel, sealBox, type WrappingKey } from "../../../src/lib/sealed-box.ts";

const CONNECTION = randomUUID();
const CANARY = "canary-cookie-9c1f";
const SIGN_IN: SavedSignIn = {
  state: { cookies: [{ name: "session", value: CANARY }], origins: [] },
  probe: { url: "https://shop.example/account", mustSee: "Sign out", mustNotSee: null },
};

const newKey = (): WrappingKey => ({ id: randomBytes(8).toString("hex"), key: createSecretKey(randomBytes(32)) });

function openVault(...keys: WrappingKey[]): Vault {
  const [current = newKey(), ...others] = keys;
  return createVault({
    current: () => current,
    find: (id) => [current, ...others].find((key) => key.id === id) ?? null,
  });
}

function failureOf(vault: Vault, sealed: SealedSignIn, connectionId = CONNECTION): Error {
  try {
    vault.open(connectionId, sealed);
  } catch (error) {
    return error as Error;
  }
  throw new Error("it opened");
}

describe("the vault", () => {
  const vault = openVault();

  it("decrypts what was encrypted, whatever the site stores", () => {
    const text = fc.string({ unit: "binary" });
    // As captured by the browser: a site's own text is in values, never in object keys.
    const kept = fc.array(
      fc.record({ name: text, value: text, more: fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)) }),
    );
    const signIn = fc.record({
      state: fc.record({ cookies: kept, origins: fc.array(fc.record({ origin: text, localStorage: kept })) }),
      probe: fc.record({ url: text, mustSee: fc.option(text), mustNotSee: fc.option(text) }),
    });
    fc.assert(
      fc.property(signIn, (saved) => {
        // JSON has no -0 and no NaN.
        const expected = JSON.stringify(saved);
        expect(JSON.stringify(vault.open(CONNECTION, vault.seal(CONNECTION, saved)))).toBe(expected);
      }),
    );
  });

  it("reveals nothing of it, and never produces the same ciphertext twice", () => {
    const first = vault.seal(CONNECTION, SIGN_IN);
    const second = vault.seal(CONNECTION, SIGN_IN);
    expect(first.ciphertext.includes(CANARY)).toBe(false);
    expect(first.ciphertext).not.toEqual(second.ciphertext);
    expect(first.wrappedKey).not.toEqual(second.wrappedKey);
    // Data keys differ as well: the key of one does not decrypt the other.
    expect(failureOf(vault, { ...first, wrappedKey: second.wrappedKey })).toBeInstanceOf(SignInUnreadable);
  });

  it.each(["wrappedKey", "ciphertext"] as const)("rejects any changed bit of the %s", (field) => {
    const sealed = vault.seal(CONNECTION, SIGN_IN);
    for (let bit = 0; bit < sealed[field].length * 8; bit += 1) {
      const changed = Buffer.from(sealed[field]);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const failure = failureOf(vault, { ...sealed, [field]: changed });
      expect(failure, `bit ${bit}`).toBeInstanceOf(SignInUnreadable);
      expect(failure.message).toContain(CONNECTION);
      expect(failure.message).not.toContain(CANARY);
    }
  });

  it.each(["wrappedKey", "ciphertext"] as const)("rejects a %s that is truncated or extended", (field) => {
    const sealed = vault.seal(CONNECTION, SIGN_IN);
    for (let length = 0; length < sealed[field].length; length += 1) {
      const cut = { ...sealed, [field]: sealed[field].subarray(0, length) };
      expect(failureOf(vault, cut), `${length} bytes`).toBeInstanceOf(SignInUnreadable);
    }
    const longer = { ...sealed, [field]: Buffer.concat([sealed[field], Buffer.of(0)]) };
    expect(failureOf(vault, longer)).toBeInstanceOf(SignInUnreadable);
  });

  it("decrypts for no other connection, neither whole nor in parts", () => {
    const other = randomUUID();
    const moved = vault.seal(CONNECTION, SIGN_IN);
    const own = vault.seal(other, SIGN_IN);
    for (const sealed of [moved, { ...own, ciphertext: moved.ciphertext }, { ...own, wrappedKey: moved.wrappedKey }]) {
      expect(failureOf(vault, sealed, other)).toBeInstanceOf(SignInUnreadable);
    }
    expect(() => vault.rewrap(other, { ...moved, keyId: "unknown" })).toThrow(SignInUnreadable);
    expect(vault.open(other, own)).toEqual(SIGN_IN);
  });

  /** Encrypted by hand, with the right keys. */
  function sealByHand(key: WrappingKey, content: Buffer, purpose: BoxLabel["purpose"] = "data key"): SealedSignIn {
    const dataKey = randomBytes(32);
    const subjectId = CONNECTION;
    return {
      keyId: key.id,
      wrappedKey: sealBox(key.key, dataKey, { purpose, keyId: key.id, subjectId }),
      ciphertext: sealBox(dataKey, content, { purpose: "sign-in", keyId: null, subjectId }),
    };
  }

  it("rejects something encrypted for another purpose as a data key", () => {
    const key = newKey();
    const content = deflateRawSync(JSON.stringify(SIGN_IN));
    expect(openVault(key).open(CONNECTION, sealByHand(key, content))).toEqual(SIGN_IN);
    expect(failureOf(openVault(key), sealByHand(key, content, "sign-in"))).toBeInstanceOf(SignInUnreadable);
  });

  it.each([
    ["uncompressed data", Buffer.from("{}")],
    ["invalid JSON", deflateRawSync(`{"state":"${CANARY}`)],
    ["nothing", Buffer.alloc(0)],
  ])("rejects %s, even though it was encrypted with the right keys", (_, content) => {
    const key = newKey();
    const sealed = sealByHand(key, content);
    const failure = failureOf(openVault(key), sealed);
    expect(failure).toBeInstanceOf(SignInUnreadable);
    expect(inspect(failure)).not.toContain(CANARY);
  });

  it.each([
    { state: null, probe: SIGN_IN.probe },
    { state: [], probe: SIGN_IN.probe },
    { state: {}, probe: { url: 1, mustSee: null, mustNotSee: null } },
    { state: {} },
    null,
  ])("rejects data that is not a sign-in: %j", (wrong) => {
    const sealed = vault.seal(CONNECTION, wrong as unknown as SavedSignIn);
    expect(failureOf(vault, sealed)).toBeInstanceOf(SignInUnreadable);
  });

  it("names the missing key, and says what to do", () => {
    const key = newKey();
    const sealed = openVault(key).seal(CONNECTION, SIGN_IN);
    const failure = failureOf(vault, sealed);
    expect(failure).toBeInstanceOf(SignInUnreadable);
    expect(failure.message).toContain(key.id);
    expect(failure.message).toContain("ERRAND_OTHER_SECRET_KEYS");
  });

  it("says that a newer version encrypted it", () => {
    const sealed = vault.seal(CONNECTION, SIGN_IN);
    const newer = Buffer.from(sealed.ciphertext);
    newer[0] = 2;
    expect(failureOf(vault, { ...sealed, ciphertext: newer }).message).toContain("format 2");
  });

  it("wraps a data key with the newest master key, and leaves the content unchanged", () => {
    const [old, current] = [newKey(), newKey()];
    const sealed = openVault(old).seal(CONNECTION, SIGN_IN);
    const wrapped = openVault(current, old).rewrap(CONNECTION, sealed);
    expect(wrapped?.keyId).toBe(current.id);
    const after = { ...sealed, ...wrapped };
    expect(openVault(current).open(CONNECTION, after)).toEqual(SIGN_IN);
    expect(openVault(current, old).rewrap(CONNECTION, after)).toBeNull();
    expect(() => openVault(current).rewrap(CONNECTION, sealed)).toThrow(old.id);
    // The id is part of the label: a wrapped key cannot be used under another master key's id.
    const twin = { ...old, id: current.id };
    expect(failureOf(openVault(twin), { ...sealed, keyId: twin.id })).toBeInstanceOf(SignInUnreadable);
  });

  it("rejects more than it can store, with a message for the user", () => {
    const noise = randomBytes(9 * 1_024 * 1_024).toString("base64");
    expect(() => vault.seal(CONNECTION, { ...SIGN_IN, state: { noise } })).toThrow(SignInTooLarge);
    expect(() => vault.seal(CONNECTION, { ...SIGN_IN, state: { noise } })).toThrow(
      /stores 9\.\d MiB .* at most 8\.0 MiB/,
    );
    const large = { ...SIGN_IN, state: { text: "x".repeat(20 * 1_024 * 1_024) } };
    expect(vault.open(CONNECTION, vault.seal(CONNECTION, large))).toEqual(large);
    const larger = { ...SIGN_IN, state: { text: "x".repeat(65 * 1_024 * 1_024) } };
    expect(() => vault.seal(CONNECTION, larger)).toThrow(SignInTooLarge);
  });
});
