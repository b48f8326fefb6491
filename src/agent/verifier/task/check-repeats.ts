import type { Check } from "../../errand.ts";
import { redactUrl } from "../../redact-url.ts";
import type { AttributedWrite } from "../../side-effects.ts";
import { isAccepted } from "../check-writes.ts";
import type { Case } from "./case.ts";

/** What does no harm twice. */
const HARMLESS =
  /\b(?:search|find|filter|sort|show|load|next|previous|refresh|apply|sign in|log in|save|update|close)\b/i;
/** The task may want it more than once. */
const SEVERAL = /\b(?:twice|again|both|each|every|all|another|more|times|two|three|four|five|six|\d+)\b/i;

/** Nothing was bought, sent or added twice where once was asked for. */
export function checkRepeats({ writes, task }: Case): Check[] {
  if (SEVERAL.test(task.prompt.replace(/["“][^"”]*["”]/g, ""))) return [];
  const deeds = writes.filter(isDeed);
  const twice = deeds.find((deed, index) => deeds.slice(0, index).some((earlier) => isSameDeed(earlier, deed)));
  if (twice === undefined) return [];
  const { method, url } = twice.write;
  const evidence = `${method} ${redactUrl(url)} was sent and accepted more than once (${twice.cause?.cause ?? ""}).`;
  return [{ about: "Nothing was done twice", verdict: "contradicted", evidence: evidence.slice(0, 300) }];
}

function isDeed({ write, cause }: AttributedWrite): boolean {
  const isOurs = write.isFirstParty && cause?.effect === "mutate" && !HARMLESS.test(cause.cause);
  return isOurs && isAccepted(write) && write.method === "POST";
}

/** Two steps, one request: what a page itself sends several times for one click is its own affair. */
function isSameDeed(one: AttributedWrite, other: AttributedWrite): boolean {
  return (
    one.cause?.step !== other.cause?.step &&
    one.cause?.cause === other.cause?.cause &&
    one.write.url === other.write.url &&
    one.write.bodyHash === other.write.bodyHash
  );
}
