import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Model, Tool } from "../../models/model.ts";
import type { Task } from "../grounding/claim.ts";
import { asksForChange, mayAskForAnswer } from "../grounding/english-words.ts";
import { toOneLine } from "../safe-text.ts";
import { TaskSecrets } from "../task-secrets.ts";
import { askAboutCommit } from "./commit-opinion.ts";
import type { Judge, TaskReading, Trial } from "./judge.ts";
import { askVerdict, checkOpinion, describeTask } from "./verdict.ts";

/**
 * A judge that asks a model. Before the run it asks what must be true at the end, and after it whether that is true. The model
 * may only say no or cite evidence; code decides what that is worth. Throws when the model is not available.
 */
export function createModelJudge(model: Model): Judge {
  return {
    readTask: (task, { meter, signal }) => askCriteria(meter.wrap(model), hideSecretsOfTask(task), signal),
    judgeCommit: (trial, { meter, signal }) =>
      askAboutCommit(meter.wrap(model), { ...trial, task: hideSecretsOfTask(trial.task) }, signal),
    async judge(trial, { meter, signal }) {
      const shown = hideSecrets(trial);
      return checkOpinion(await askVerdict(meter.wrap(model), shown, signal), shown);
    },
  };
}

const MAX_CRITERIA = 8;
const MAX_LENGTH = 240;

const SYSTEM = `Before anything is done, you write down how one will be able to tell that a task on a website was done.
You have not seen the website and do not need to: everything you say follows from the task alone.

Each criterion
- is one thing that is either true or false when the task is done, and that a page of the site, a file or an answer can show;
- names what the task names: which item, how many, which name, which date, which unit, whose account, in what order;
- asks for no more than the task does, and says nothing about how it is done.
Examples: "The cart holds two of the blue mug." "The answer names the price of the Alder lamp." "The order was placed."
"The list has every invoice of March, the oldest first." "Nothing else in the profile was changed."
Write at most ${MAX_CRITERIA}, fewer if fewer say everything.
only_asks: true if the task wants something found out and nothing changed, sent, bought or prepared on the site.`;

const input = Type.Object(
  {
    criteria: Type.Array(Type.String({ maxLength: 1_000 }), {
      maxItems: 20,
      description: "One sentence each.",
    }),
    only_asks: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const CRITERIA_TOOL: Tool = {
  name: "list_criteria",
  description: "Says what must be true when the task is done.",
  input: { ...input },
};

/** What must be true at the end. Whatever the model lists, doing the whole task and answering it are criteria too. */
async function askCriteria(model: Model, task: Task, signal: AbortSignal): Promise<TaskReading> {
  const request = {
    system: SYSTEM,
    stablePrompt: describeTask(task),
    parts: [{ kind: "text" as const, text: "Write down the criteria. Call list_criteria once." }],
    tools: [CRITERIA_TOOL],
    maxCalls: 1,
  };
  const { calls } = await model.ask(request, signal);
  const said = calls.find(({ tool }) => tool === CRITERIA_TOOL.name)?.input;
  const listed = Value.Check(input, said)
    ? said.criteria.map((text) => toOneLine(text, MAX_LENGTH)).filter(Boolean)
    : [];
  const texts = [...new Set(listed)].slice(0, MAX_CRITERIA);
  const criteria = [...texts, ...standardCriteria(task)].map((text, index) => ({ id: `c${index + 1}`, text }));
  // Words that clearly ask for a change outweigh the model's opinion.
  const isQuestion = Value.Check(input, said) && said.only_asks === true && !asksForChange(task.prompt);
  return { criteria, isQuestion };
}

function standardCriteria({ prompt, outputSchema }: Task): string[] {
  const whole = "Everything the task asks for was done, nothing is missing, and it was done to the right item.";
  const answered = "The answer or the data is exactly what the task asks for, and each value in it is right.";
  return mayAskForAnswer(prompt) || outputSchema !== null ? [whole, answered] : [whole];
}

/** The task without its secrets: they are not needed to judge. */
function hideSecretsOfTask(task: Task): Task {
  return { ...task, prompt: new TaskSecrets(task.prompt).prompt };
}

/** The trial without the secrets of its task, wherever a page or an answer repeats them. */
function hideSecrets(trial: Trial): Trial {
  const secrets = new TaskSecrets(trial.task.prompt);
  if (secrets.isEmpty) return trial;
  const hide = (text: string) => secrets.hide(text);
  return {
    ...trial,
    task: { ...trial.task, prompt: secrets.prompt },
    answer: hide(trial.answer),
    data: trial.data === null ? null : hide(trial.data),
    evidence: trial.evidence.map((each) => ({
      ...each,
      text: hide(each.text),
      parts: each.parts.map(hide),
      whole: hide(each.whole),
    })),
    changes: trial.changes.map((each) => ({ ...each, text: hide(each.text) })),
  };
}
