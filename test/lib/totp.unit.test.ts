import { describe, expect, it } from "vitest";
import { computeTotp, parseTotpSecret, type TotpSecret, totpMsLeft } from "../../src/lib/totp.ts";

/** RFC 6238, Appendix B: the secret is repeated up to the length of the hash. */
const SECRETS = {
  SHA1: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  SHA256: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
  SHA512: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
};
const VECTORS = [
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
] as const;

describe("one-time codes", () => {
  it.each(VECTORS)("are those of RFC 6238 after %d seconds", (seconds, sha1, sha256, sha512) => {
    const codes = (["SHA1", "SHA256", "SHA512"] as const).map((algorithm) =>
      computeTotp({ secret: SECRETS[algorithm], algorithm, digits: 8, periodSeconds: 30 }, seconds * 1_000),
    );
    expect(codes).toEqual([sha1, sha256, sha512]);
  });

  it("have six digits and change every 30 seconds when only a secret is known", () => {
    const parsed = parseTotpSecret("gezd gnbv gy3t qojq gezd gnbv gy3t qojq") as TotpSecret;
    expect(parsed).toEqual({ secret: SECRETS.SHA1, algorithm: "SHA1", digits: 6, periodSeconds: 30 });
    expect(computeTotp(parsed, 59_000)).toBe("287082");
    expect(totpMsLeft(parsed, 59_000)).toBe(1_000);
  });

  it("follow the settings of an otpauth URI", () => {
    const uri = `otpauth://totp/Shop:me%40example.com?secret=${SECRETS.SHA256}&algorithm=SHA256&digits=8&period=60&issuer=Shop`;
    expect(parseTotpSecret(uri)).toEqual({
      secret: SECRETS.SHA256,
      algorithm: "SHA256",
      digits: 8,
      periodSeconds: 60,
    });
    expect(parseTotpSecret(`otpauth://totp?secret=${SECRETS.SHA1}`)).toMatchObject({ digits: 6, periodSeconds: 30 });
  });

  it.each([
    ["nothing", ""],
    ["a code instead of the secret", "123456"],
    ["a secret that is too short", "GEZDGNBV"],
    ["letters that are not base32", "GEZDGNBVGY3TQOJ0GEZDGNBVGY3TQOJ1"],
    ["a counter-based secret", `otpauth://hotp/Shop?secret=${SECRETS.SHA1}&counter=1`],
    ["an unknown algorithm", `otpauth://totp/Shop?secret=${SECRETS.SHA1}&algorithm=MD5`],
    ["seven digits", `otpauth://totp/Shop?secret=${SECRETS.SHA1}&digits=7`],
    ["no period", `otpauth://totp/Shop?secret=${SECRETS.SHA1}&period=0`],
    ["no secret", "otpauth://totp/Shop?issuer=Shop"],
  ])("cannot be made of %s", (_what, text) => {
    expect(parseTotpSecret(text)).toBeNull();
  });
});
