import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Model, Tool } from "../../models/model.ts";
import type { Criterion, Task } from "../grounding/claim.ts";
import { toOneLine } from "../safe-text.ts";
import { TaskSecrets } from "../task-secrets.ts";
import type { Judge, Trial } from "./judge.ts";
import { askVerdict, checkOpinion, describeTask } from "./verdict.ts";

/**
 * A model as the judge. It is asked twice: what must be true, before the run; and whether it is, after it. It may only say
 * no or point at evidence; code decides what that is worth. When the model cannot be had, that is thrown.
 */
export function createModelJudge(model: Model): Judge {
  return {
    listCriteria: (task, { meter, signal }) => askCriteria(meter.follow(model), hideSecretsOfTask(task), signal),
    async judge(trial, { meter, signal }) {
      const shown = hideSecrets(trial);
      return checkOpinion(await askVerdict(meter.follow(model), shown, signal), shown);
    },
  };
}

const MAX_CRITERIA = 8;
const MAX_LENGTH = 240;

const SYSTEM = `You write down, before anything is done, how one will be able to tell that a task on a website was done.
You have not seen the website and you need not: everything you say follows from the task alone.

Each criterion
- is one thing that is either true or not when the task is done, and that a page of the site, a file or an answer can show;
- names what the task names: which item, how many, which name, which date, which unit, whose account, in what order;
- asks for no more than the task does. It says nothing about the way there.
Examples: "The cart holds two of the blue mug." "The answer names the price of the Alder lamp." "The order was placed."
"The list has every invoice of March, the oldest first." "Nothing else in the profile was changed."
Write at most ${MAX_CRITERIA}, fewer where fewer say it all.`;

const input = Type.Object(
  {
    criteria: Type.Array(Type.String({ maxLength: 1_000 }), {
      maxItems: 20,
      description: "One sentence each.",
    }),
  },
  { additionalProperties: false },
);

const CRITERIA_TOOL: Tool = {
  name: "list_criteria",
  description: "Says what must be true when the task is done.",
  input: { ...input },
};

/** What people write when they want to be told something. */
const ASKING =
  /\?|\b(?:what|which|who|whose|when|where|why|how (?:many|much|long|far|old|often))\b|\b(?:tell|give|show|send) (?:me|us)\b|\b(?:find out|look up|report|name|list|answer|say|read|count|compare|summari[sz]e|extract|return|get)\b/i;

/**
 * What must be true at the end. Whatever the model leaves out, the whole of the task stays a criterion, and so does an
 * answer where it asks for one.
 */
async function askCriteria(model: Model, task: Task, signal: AbortSignal): Promise<Criterion[]> {
  const question = {
    system: SYSTEM,
    lasting: describeTask(task),
    parts: [{ kind: "text" as const, text: "Write down the criteria. Call list_criteria once." }],
    tools: [CRITERIA_TOOL],
    maxCalls: 1,
  };
  const { calls } = await model.ask(question, signal);
  const said = calls.find(({ tool }) => tool === CRITERIA_TOOL.name)?.input;
  const listed = Value.Check(input, said)
    ? said.criteria.map((text) => toOneLine(text, MAX_LENGTH)).filter(Boolean)
    : [];
  const texts = [...new Set(listed)].slice(0, MAX_CRITERIA);
  return [...texts, ...standardCriteria(task)].map((text, index) => ({ id: `c${index + 1}`, text }));
}

function standardCriteria({ prompt, outputSchema }: Task): string[] {
  const whole =
    "Everything that the task asks for is done, no part of it is missing, and it was done to the right thing.";
  const answered = "The answer or the data answers just what the task asks, and each value in it is right.";
  return ASKING.test(prompt) || outputSchema !== null ? [whole, answered] : [whole];
}

/** The task without the secrets in it: nobody needs them to judge. */
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
    data: trial.data === null ? null : hide(JSON.stringify(trial.data)),
    evidence: trial.evidence.map((each) => ({ ...each, text: hide(each.text), whole: hide(each.whole) })),
    changes: trial.changes.map((each) => ({ ...each, text: hide(each.text) })),
  };
}
