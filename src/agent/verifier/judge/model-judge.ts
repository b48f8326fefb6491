import type { Model } from "../../../models/model.ts";
import { askCriteria } from "./ask-criteria.ts";
import { askVerdict } from "./ask-verdict.ts";
import { hideSecrets, hideSecretsOfTask } from "./hide-secrets.ts";
import type { Judge } from "./judge.ts";
import { weighOpinion } from "./weigh-opinion.ts";

/**
 * A model as the judge. It is asked twice: what must be true, before the run; and whether it is, after it. It may only say
 * no or point at evidence; code decides what that is worth. When the model cannot be had, that is thrown.
 */
export function createModelJudge(model: Model): Judge {
  return {
    listCriteria: (task, { meter, signal }) => askCriteria(meter.follow(model), hideSecretsOfTask(task), signal),
    async judge(trial, { meter, signal }) {
      const shown = hideSecrets(trial);
      return weighOpinion(await askVerdict(meter.follow(model), shown, signal), shown);
    },
  };
}
