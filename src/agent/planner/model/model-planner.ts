import type { Model } from "../../../models/model.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import { TaskSecrets } from "../../prompting/task-secrets.ts";
import { type Plan, type PlanMeans, type Planner, PlannerRefusal, type Task } from "../planner.ts";
import { ModelPlan } from "./model-plan.ts";

/** Asks a language model what to do, one fresh and bounded question a turn, and lets it do only what holds up. */
export function createModelPlanner(model: Model): Planner {
  return { name: model.name, plan: async (task, means) => makePlan(model, task, means) };
}

function makePlan(model: Model, task: Task, means: PlanMeans): Plan {
  if (task.prompt.trim() === "" && task.outputSchema === null) throw new PlannerRefusal("The prompt asks for nothing.");
  const secrets = new TaskSecrets(task.prompt);
  const startUrl = task.startUrl ?? findAddress(task.prompt);
  const outline = means.criteria.map(({ text }) => toOneLine(secrets.hide(text), 200));
  const plan = new ModelPlan({
    model: means.meter.follow(model),
    meter: means.meter,
    criteria: means.criteria,
    task,
    secrets,
    startUrl,
    findOutputProblems: means.findOutputProblems,
  });
  return {
    startUrl,
    outline: outline.length > 0 ? outline : [toOneLine(secrets.prompt, 200)],
    signsIn: !secrets.isEmpty || speaksOfSigningIn(task.prompt),
    next: (turn) => plan.next(turn),
    reconsider: (objection) => plan.reconsider(objection),
  };
}

function findAddress(prompt: string): string | null {
  const said = /https?:\/\/[^\s<>"'“”‘’`]+/i.exec(prompt)?.[0].replace(/(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/, "");
  return said === undefined ? null : (URL.parse(said)?.href ?? null);
}

/** "If you have to log in, stop" is no way to sign in. */
function speaksOfSigningIn(prompt: string): boolean {
  const said = /\b(?:sign|log)(?:ging|ning)?[\s-]?(?:in|on)\b/i;
  return prompt
    .split(/[.;!?\n]/)
    .some((sentence) => said.test(sentence) && !/\b(?:if|unless|without|not|never|don['’]t)\b/i.test(sentence));
}
