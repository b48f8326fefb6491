import type { Claim, Task } from "../../grounding/claim.ts";
import type { Course } from "./acting/course.ts";
import { shorten } from "./acting/describe-spot.ts";
import { fillOutput } from "./acting/fill-output.ts";
import type { Hand } from "./acting/hand.ts";
import type { Instruction } from "./instruction.ts";

const NAVIGATING: ReadonlySet<Instruction["kind"]> = new Set([
  "goto",
  "back",
  "open",
  "click",
  "menu",
  "page",
  "search",
  "submit",
]);

const LED_TO = /, which led to \S+$/;

/** What can be said at the end: the answers, and what was seen to come of each step. Nothing else. */
export function* makeClaim(instructions: readonly Instruction[], task: Task, hand: Hand): Course<Claim> {
  if (task.outputSchema !== null) yield* fillOutput(task.outputSchema, task.prompt, findRequest(instructions), hand);
  const { observation, answers, facts, extraction, conditions } = hand;
  const last = instructions.at(-1);
  const about = `The run ended at ${observation.url.split(/[?#]/)[0]}`;
  const address =
    last !== undefined && NAVIGATING.has(last.kind) ? [{ kind: "address" as const, url: observation.url, about }] : [];
  return {
    answer: answers.length > 0 ? [...new Set(answers)].join("\n") : describeDeeds(hand),
    facts,
    extraction,
    conditions: [...conditions, ...address],
  };
}

/** What the data is about is said last. */
export function findRequest(instructions: readonly Instruction[]): Instruction | null {
  const last = instructions.findLast(({ kind }) => kind !== "nothing");
  return last?.kind === "ask" ? last : null;
}

/** What the site said about it, what was done, and where that has led. Addresses are told elsewhere. */
function describeDeeds({ conditions, observation, notice }: Hand): string {
  const steps = conditions.filter(({ kind }) => kind === "step").map(({ about }) => about.replace(LED_TO, ""));
  const deeds = [...new Set(steps)];
  const place = observation.title === "" ? observation.url : `"${shorten(observation.title)}"`;
  const said = notice === null ? [] : [`The page says: "${notice}"`];
  const done = deeds.length === 0 ? "Nothing had to be done" : toSentence(deeds);
  return [...said, `${done}.`, `It ended on ${place}.`].join(" ");
}

function toSentence([first = "", ...more]: readonly string[]): string {
  const rest = more.map((deed) => deed.charAt(0).toLowerCase() + deed.slice(1));
  const last = rest.pop();
  return [[first, ...rest].join(", "), ...(last === undefined ? [] : [last])].join(" and ");
}
