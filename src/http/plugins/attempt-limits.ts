import { createHmac, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { CallerError } from "../../lib/errors.ts";
import { areEqualSecrets } from "../../lib/hash.ts";
import { type RateLimit, TokenBuckets } from "../../lib/token-bucket.ts";

interface SignInLimit {
  limit: RateLimit;
  clock: Clock;
  browsers: KnownBrowsers;
}

/** From unknown browsers, one account allows this many times the burst of one network, and then this much less per minute. */
const ACCOUNT_FACTOR = 10;

/**
 * Limits how often passwords can be guessed, without letting strangers lock an account's owner out. A browser that signed in
 * to the account before has a limit of its own. All others share one limit per network, whatever accounts they try, and a
 * slower one per account, whatever network they use.
 */
export function createSignInLimit({
  limit,
  clock,
  browsers,
}: SignInLimit): (request: FastifyRequest, email: string) => void {
  const attempts = new TokenBuckets(limit, clock);
  const perAccount = new TokenBuckets(
    { perMinute: limit.perMinute / ACCOUNT_FACTOR, burst: limit.burst * ACCOUNT_FACTOR },
    clock,
  );
  return (request, email) => {
    const account = normalize(email);
    const browserId = browsers.find(request, account);
    if (browserId !== null) return refuseWhile(attempts.take(`browser ${browserId} ${account}`));
    refuseWhile(attempts.take(`network ${networkOf(request.ip)}`));
    refuseWhile(perAccount.take(account));
  };
}

/** Throws after too many attempts from one network or, if given, on one account. */
export function createAttemptLimit(limit: RateLimit, clock: Clock): (request: FastifyRequest, email?: string) => void {
  const attempts = new TokenBuckets(limit, clock);
  return (request, email) => {
    refuseWhile(attempts.take(`network ${networkOf(request.ip)}`));
    if (email !== undefined) refuseWhile(attempts.take(`account ${normalize(email)}`));
  };
}

function refuseWhile(retryAfterSeconds: number): void {
  if (retryAfterSeconds === 0) return;
  throw new CallerError(
    "RATE_LIMITED",
    `There were too many attempts. Please wait ${retryAfterSeconds} seconds, then try again.`,
    { retryAfterSeconds },
  );
}

/** Browsers in which somebody signed in before, recognised by a signed cookie. It grants nothing but its own limit. */
export interface KnownBrowsers {
  /** The browser's id if this account was signed in to there. */
  find(request: FastifyRequest, email: string): string | null;
  /** After a successful sign-in: the cookie to set. */
  remember(request: FastifyRequest, email: string): string;
}

/** Browsers keep no cookie for longer. */
const COOKIE_SECONDS = 400 * 24 * 60 * 60;
const MAX_ACCOUNTS_PER_BROWSER = 5;
const COOKIE = /(?:^|;\s*)errand\.browser=([\w-]{32})((?:\.[\w-]{43}){1,5})(?:;|$)/;

export function createKnownBrowsers({ key, publicUrl }: { key: Buffer; publicUrl: string }): KnownBrowsers {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const attributes = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  const sign = (browserId: string, email: string) =>
    createHmac("sha256", key)
      .update(`browser ${browserId} ${normalize(email)}`)
      .digest("base64url");

  return {
    find(request, email) {
      const { browserId, signatures } = readCookie(request);
      const own = sign(browserId, email);
      return signatures.some((signature) => areEqualSecrets(signature, own)) ? browserId : null;
    },

    remember(request, email) {
      const { browserId, signatures } = readCookie(request);
      const own = sign(browserId, email);
      const kept = [own, ...signatures.filter((signature) => signature !== own)].slice(0, MAX_ACCOUNTS_PER_BROWSER);
      return `errand.browser=${[browserId, ...kept].join(".")}; ${attributes}`;
    },
  };
}

/** A new id when the browser has no cookie yet. */
function readCookie(request: FastifyRequest): { browserId: string; signatures: string[] } {
  const [, browserId, signatures] = COOKIE.exec(request.headers.cookie ?? "") ?? [];
  if (browserId === undefined || signatures === undefined)
    return { browserId: randomBytes(24).toString("base64url"), signatures: [] };
  return { browserId, signatures: signatures.slice(1).split(".") };
}

function normalize(email: string): string {
  return email.trim().toLowerCase();
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const IPV6_GROUPS = 8;

/** An IPv4 address, or the /64 of an IPv6 address, because one subscriber has all of that. */
export function networkOf(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  const [withoutZone = ""] = address.split("%");
  if (mapped !== undefined || !isIPv6(withoutZone)) return mapped ?? address;
  const [head = "", tail = ""] = new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1).split("::");
  const [first, last] = [head, tail].map((groups) => groups.split(":").filter(Boolean)) as [string[], string[]];
  const zeros = Array<string>(IPV6_GROUPS - first.length - last.length).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, IPV6_GROUPS / 2).join(":")}::/64`;
}
