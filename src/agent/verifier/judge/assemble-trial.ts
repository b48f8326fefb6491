import type { Picture } from "../../planner/planner.ts";
import { findEntries } from "../find-entries.ts";
import type { Verification } from "../verify.ts";
import { assembleEvidence } from "./assemble-evidence.ts";
import type { Criterion } from "./criterion.ts";
import { describeChanges } from "./describe-changes.ts";
import type { Trial } from "./judge.ts";

interface TrialParts extends Verification {
  readonly criteria: readonly Criterion[];
  readonly picture: Picture | null;
}

/** Puts together what was seen and done, from the browser's own records: nothing of it comes from the planner's thoughts. */
export function assembleTrial({ criteria, picture, ...trial }: TrialParts): Trial {
  const { task, claim, ledger, session } = trial;
  const wanted = [task.prompt, ...criteria.map(({ text }) => text), claim.answer].join(" ");
  return {
    task,
    criteria,
    answer: claim.answer,
    data: claim.extraction?.data ?? null,
    evidence: assembleEvidence(trial, wanted),
    changes: describeChanges(ledger.attribute(session.writes()), findEntries(ledger.steps)),
    picture,
  };
}
