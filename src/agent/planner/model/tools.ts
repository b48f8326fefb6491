import { type Observation, walk } from "../../../browser/observation/observation.ts";
import type { Failure } from "../../../contract/execution.ts";
import type { Tool } from "../../../models/model.ts";
import type { Action } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { toOneLine } from "../../safe-text.ts";
import type { Decision } from "../planner.ts";

interface ToolContext {
  readonly seesImages: boolean;
  /** Whether the task asks for data. */
  readonly wantsData: boolean;
  /** Nothing more can be done but to say how it ended. */
  readonly isLast: boolean;
  /** Whether whatever there is may be needed, because nothing else has helped. */
  readonly isAtLoss: boolean;
  readonly prompt: string;
  readonly observation: Observation;
}

const MENTIONS_FILES = /\b(?:upload|attach|attachment|file|document|csv|pdf)s?\b/i;
const MENTIONS_DRAGGING = /\b(?:arrange|board|column|drag|drop|move|rearrange|reorder|slide|slider|sort|swap)\b/i;

/**
 * What the model may call. It hardly changes in a run, up to its last turn, so that a provider can keep it; what is seldom
 * of use is offered where it may be.
 */
export function listTools(offer: ToolContext): Tool[] {
  if (offer.isLast) return [DONE, GIVE_UP];
  const actions = [...ACTIONS.values()].filter(({ name }) => isUseful(name, offer)).map(toTool);
  return [...actions, NOTE, ...(offer.wantsData ? [EXTRACT] : []), DONE, GIVE_UP];
}

function isUseful(name: string, { seesImages, isAtLoss, prompt, observation }: ToolContext): boolean {
  switch (name) {
    case "look":
      return seesImages;
    case "dialog":
      return observation.dialog !== null;
    case "tab":
      return observation.tabs.length > 1;
    case "upload":
      return (
        isAtLoss ||
        MENTIONS_FILES.test(prompt) ||
        walk(observation.root).some(({ node }) => node.field?.type === "file")
      );
    case "drag":
      return isAtLoss || MENTIONS_DRAGGING.test(prompt);
    default:
      return true;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** What every action has is explained once, in the rules; limits are checked when the action is carried out. */
function toTool({ name, description, input }: Action): Tool {
  const { properties = {}, required } = JSON.parse(JSON.stringify(input)) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const slim = Object.entries(properties).map(([key, schema]) => [
    key,
    EXPLAINED.has(key) ? { type: "string" } : slimDown(schema),
  ]);
  return {
    name,
    description,
    input: { type: "object", properties: Object.fromEntries(slim), ...(required === undefined ? {} : { required }) },
  };
}

const EXPLAINED: ReadonlySet<string> = new Set(["ref", "label", "to_ref", "to_label"]);

function slimDown({ type, enum: values, items, description }: Json): Json {
  return {
    type: type ?? "string",
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: { type: "string" } }),
    ...(description === undefined ? {} : { description }),
  };
}

const text = (description: string) => ({ type: "string", description });

const FACT = {
  about: text("What it is, in the words of the task."),
  value: text("The value, as the quote has it."),
  quote: text("The line of the page that says so, word for word."),
};

const NOTE: Tool = {
  name: "note",
  description: "Keeps a fact from the page that you see, for when the page is gone. Answers an id that done can cite.",
  input: { type: "object", properties: FACT, required: ["about", "value", "quote"] },
};

const EXTRACT: Tool = {
  name: "extract",
  description:
    "Gathers from the page that you see what the wanted data needs, and tells what is missing. Call it on each page that has some.",
  input: { type: "object", properties: {} },
};

const string = { type: "string" };

const DONE: Tool = {
  name: "done",
  description:
    "Says that the task is done, alone in its turn and only after a page has shown it. facts: what was asked for, each as " +
    "in note. notes: ids of notes to cite. proofs: for what was changed, words of a page, or a field and what it holds " +
    "(checked or unchecked for a box), seen since then. All of it is checked.",
  input: {
    type: "object",
    properties: {
      answer: text("To the user, in plain words."),
      facts: {
        type: "array",
        items: {
          type: "object",
          properties: { about: string, value: string, quote: string },
          required: ["about", "quote"],
        },
      },
      notes: { type: "array", items: string },
      proofs: { type: "array", items: { type: "object", properties: { text: string, field: string, value: string } } },
    },
    required: ["answer"],
  },
};

const GIVE_UP: Tool = {
  name: "give_up",
  description: "Ends the errand without success. Better than a claim that is not true.",
  input: {
    type: "object",
    properties: {
      kind: {
        type: "string",
        enum: [
          "goal_unreachable",
          "blocked",
          "sign_in_required",
          "not_allowed",
          "site_error",
          "unclear_task",
          "out_of_budget",
        ],
      },
      reason: text("Why, in a sentence for the user."),
    },
    required: ["kind", "reason"],
  },
};

type GiveUp = Extract<Decision, { kind: "give_up" }>;

const MAX_REASON = 400;

/** What a model calls the end → how it is told to the caller. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["goal_unreachable", "goal_unreachable"],
  ["blocked", "blocked"],
  ["sign_in_required", "reauthorization_required"],
  ["not_allowed", "policy_violation"],
  ["site_error", "site_error"],
  ["unclear_task", "unsupported_prompt"],
  ["out_of_budget", "step_limit"],
]);

/** Once something was changed the prompt was not refused, whatever the model calls it. */
export function toGiveUp(kind: unknown, reason: unknown, hasWritten: boolean): GiveUp {
  const named = FAILURES.get(String(kind)) ?? "goal_unreachable";
  const failure = named === "unsupported_prompt" && hasWritten ? "goal_unreachable" : named;
  const said = toOneLine(String(reason ?? ""), MAX_REASON);
  return giveUp(failure, said === "" ? "The planner gave up and did not say why." : said);
}

export function giveUp(failure: Failure, reason: string, code: string = failure.toUpperCase()): GiveUp {
  return { kind: "give_up", failure, code, reason };
}
