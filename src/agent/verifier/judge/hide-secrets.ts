import type { Task } from "../../planner/planner.ts";
import { TaskSecrets } from "../../prompting/task-secrets.ts";
import type { Trial } from "./judge.ts";

/** The task without the secrets in it: nobody needs them to judge. */
export function hideSecretsOfTask(task: Task): Task {
  return { ...task, prompt: new TaskSecrets(task.prompt).prompt };
}

/** The trial without the secrets of its task, wherever a page or an answer repeats them. */
export function hideSecrets(trial: Trial): Trial {
  const secrets = new TaskSecrets(trial.task.prompt);
  if (secrets.isEmpty) return trial;
  const hide = (text: string) => secrets.hide(text);
  return {
    ...trial,
    task: { ...trial.task, prompt: secrets.prompt },
    answer: hide(trial.answer),
    data: trial.data === null ? null : hide(JSON.stringify(trial.data)),
    evidence: trial.evidence.map((each) => ({ ...each, text: hide(each.text), whole: hide(each.whole) })),
    changes: trial.changes.map((each) => ({ ...each, text: hide(each.text) })),
  };
}
