import type { Check } from "../errand.ts";
import { redactUrl } from "../redact-url.ts";
import type { AttributedWrite } from "../side-effects.ts";

/** No form was submitted that no step asked for: a page that submits itself acts for somebody else. */
export function checkCauses(writes: readonly AttributedWrite[]): Check {
  const about = "Every change was caused by a step of the run";
  const unexplained = writes.find(
    ({ write, cause }) =>
      write.isNavigation &&
      write.isFirstParty &&
      (cause === null || cause.effect === "read" || cause.effect === "navigate"),
  );
  if (unexplained === undefined) return { about, verdict: "satisfied", evidence: "No form was submitted unasked." };
  const { method, url } = unexplained.write;
  const evidence = `${method} ${redactUrl(url)} was sent by the page itself${
    unexplained.cause === null ? "" : ` during: ${unexplained.cause.cause}`
  }.`;
  return { about, verdict: "contradicted", evidence };
}
