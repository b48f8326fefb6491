import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { Check } from "../errand.ts";
import { redactUrl } from "../redact-url.ts";
import type { AttributedWrite } from "../side-effects.ts";

/**
 * Every request that may change something was answered with success. A page that says "saved" while the server said 500
 * is caught here. An answer that never came is unknown, and unknown is never success.
 */
export function checkWrites(writes: readonly AttributedWrite[]): Check {
  const about = "The site accepted every change it was sent";
  const judged = writes.map(({ write }) => write).filter(isJudged);
  const failed = judged.filter((write) => !isAccepted(write) && !isRepeatedWithSuccess(write, judged));
  const refused = failed.find(({ status }) => status !== null);
  if (refused !== undefined) {
    return { about, verdict: "contradicted", evidence: `${name(refused)} was answered ${refused.status}.` };
  }
  const [unanswered] = failed;
  if (unanswered !== undefined) {
    const evidence = `${name(unanswered)} was never answered (${unanswered.failure ?? "still waiting"}).`;
    return { about, verdict: "unknown", evidence };
  }
  const evidence =
    judged.length === 0
      ? "Nothing was sent that could change something."
      : `${judged.map((write) => `${name(write)}: ${write.status}`).join("; ")}.`;
  return { about, verdict: "satisfied", evidence };
}

/** A page's own beacons, sockets and reports to others say nothing about the errand. They are listed all the same. */
function isJudged({ isFirstParty, resourceType }: NetworkRecord): boolean {
  return isFirstParty && !["ping", "beacon", "cspviolationreport", "websocket"].includes(resourceType);
}

export function isAccepted({ status }: NetworkRecord): boolean {
  return status !== null && status >= 200 && status < 400;
}

function isRepeatedWithSuccess(write: NetworkRecord, writes: readonly NetworkRecord[]): boolean {
  return writes.some(
    (other) =>
      other.number > write.number &&
      other.method === write.method &&
      other.url === write.url &&
      other.bodyHash === write.bodyHash &&
      isAccepted(other),
  );
}

function name({ method, url }: NetworkRecord): string {
  return `${method} ${redactUrl(url)}`;
}
