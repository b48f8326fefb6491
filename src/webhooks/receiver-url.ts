import { isIP } from "node:net";
import { WEBHOOK_URL_MAX_LENGTH } from "../contract/webhook.ts";
import { type HostAndPort, type HostPattern, hostOfUrl, matchesHostPattern } from "../lib/hosts.ts";
import { areReachable } from "../lib/network-address.ts";
import { isStorableText } from "../lib/storable.ts";

/** Why this cannot be a webhook's URL, or null when it can, as far as is known without looking up the host. */
export function findReceiverUrlProblem(text: string, allowedPrivate: readonly HostPattern[]): string | null {
  const url = URL.parse(text);
  const host = hostOfUrl(text);
  if (text.length > WEBHOOK_URL_MAX_LENGTH || /[\s\\]/.test(text) || !isStorableText(text)) {
    return `must be a URL of at most ${WEBHOOK_URL_MAX_LENGTH} characters without spaces`;
  }
  // Reject spellings in which the host that the parser finds is not the one that a reader sees.
  if (url === null || host === null || !/^https?:\/\/[^/?#%]+([/?#]|$)/i.test(text)) {
    return "must be an https URL such as https://app.example.com/webhooks";
  }
  if (url.href.length > WEBHOOK_URL_MAX_LENGTH) return `must have at most ${WEBHOOK_URL_MAX_LENGTH} characters`;
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  if (url.hash !== "" || text.includes("#")) return "must not have a fragment";
  const isAllowedPrivate = matchesHostPattern(allowedPrivate, host);
  if (url.protocol === "http:" && !isAllowedPrivate) {
    return "must use https; hosts that may use http are listed in ERRAND_ALLOW_HOSTS";
  }
  return isKnownPrivate(host, isAllowedPrivate) ? PRIVATE_ADDRESS_PROBLEM : null;
}

export const PRIVATE_ADDRESS_PROBLEM =
  "must not lead to a private network address, unless its host is listed in ERRAND_ALLOW_HOSTS";

function isKnownPrivate({ host }: HostAndPort, isAllowedPrivate: boolean): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return !isAllowedPrivate;
  return isIP(host) !== 0 && !areReachable(host, [host], isAllowedPrivate);
}
