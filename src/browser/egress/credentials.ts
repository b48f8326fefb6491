import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../lib/hash.ts";

/** Basic authentication (RFC 7617) with a password that lives as long as one proxy. */
export interface ProxyCredentials {
  username: string;
  password: string;
  areIn(proxyAuthorization: string | undefined): boolean;
}

export function mintCredentials(): ProxyCredentials {
  const username = "errand";
  const password = randomBytes(32).toString("base64url");
  const expected = sha256(Buffer.from(`${username}:${password}`).toString("base64"));
  return {
    username,
    password,
    areIn(header = "") {
      const [, given = ""] = /^basic +(\S+)$/i.exec(header) ?? [];
      return timingSafeEqual(sha256(given), expected);
    },
  };
}
