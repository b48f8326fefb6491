import type { Picture } from "../../planner/planner.ts";
import type { Verification } from "../verify.ts";
import type { Criterion } from "./criterion.ts";
import type { Trial } from "./judge.ts";

interface TrialParts extends Verification {
  readonly criteria: readonly Criterion[];
  readonly picture: Picture | null;
}

/** Puts together what was seen and done, from the browser's own records: nothing of it comes from the planner's thoughts. */
export function assembleTrial({ task, criteria, claim, looks, picture }: TrialParts): Trial {
  const evidence = looks.map(({ url, page, note }, index) => ({
    id: `e${index + 1}`,
    what: `The page at ${url} in a fresh browser${note === null ? "" : ` (${note})`}`,
    text: page?.text ?? "",
  }));
  return { task, criteria, answer: claim.answer, data: claim.extraction?.data ?? null, evidence, changes: [], picture };
}
