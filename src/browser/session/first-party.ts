import { hostOfAddress } from "../../lib/host-pattern.ts";
import type { AddressPolicy } from "./address-policy.ts";

/** Whether an address belongs to the run's allowed hosts, or to the site of the page that asks for it. */
export function isFirstParty(url: string, pageUrl: string | null, policy: AddressPolicy): boolean {
  const place = hostOfAddress(url.replace(/^ws/, "http"));
  if (place === null) return false;
  if (policy.isAllowedHost(place)) return true;
  const page = pageUrl === null ? null : hostOfAddress(pageUrl);
  // A tab that shows nothing yet is told where to go by the run itself.
  return page === null || areOfOneSite(place.host, page.host);
}

/** Without a list of public suffixes: one is the other, or lies below it. */
function areOfOneSite(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
