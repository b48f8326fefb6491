import type { Check } from "../../errand.ts";
import type { Case } from "./case.ts";

const ASKED = /(?:^|[.,;:]\s*|\b(?:and|then|please|to|you)\s+)download\b/i;
const ABOUT = "What was to be downloaded is there";

/** A file that was asked for has arrived, and has something in it. */
export function checkDownloads({ task, events: { downloads } }: Case): Check[] {
  const broken = downloads.find(({ bytes, refusal }) => refusal !== null || bytes === 0);
  if (broken !== undefined) {
    const why = broken.refusal ?? "it is empty";
    return [{ about: ABOUT, verdict: "contradicted", evidence: `"${broken.name.slice(0, 80)}": ${why}.` }];
  }
  if (downloads.length > 0 || !ASKED.test(task.prompt)) return [];
  return [{ about: ABOUT, verdict: "contradicted", evidence: "Nothing was downloaded." }];
}
