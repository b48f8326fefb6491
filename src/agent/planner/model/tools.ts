import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import type { Failure } from "../../../contract/execution.ts";
import type { Tool } from "../../../models/model.ts";
import type { Action } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { isPicture } from "../../actions/click.ts";
import { toOneLine } from "../../safe-text.ts";
import type { Decision } from "../planner.ts";

interface ToolContext {
  readonly seesImages: boolean;
  /** Whether this turn shows the model a screenshot of the page. */
  readonly hasScreenshot: boolean;
  /** Whether the task asks for data. */
  readonly wantsData: boolean;
  /** In the last turn the model can only end the errand. */
  readonly isLast: boolean;
  /** Then the rarely useful tools are offered too. */
  readonly isStuck: boolean;
  readonly prompt: string;
  readonly observation: Observation;
}

const MENTIONS_FILES = /\b(?:upload|attach|attachment|file|document|csv|pdf)s?\b/i;

/**
 * What the model may call. The list hardly changes before the last turn, so that providers can cache it. Rarely useful
 * tools are offered only where they may help.
 */
export function listTools(context: ToolContext): Tool[] {
  if (context.isLast) return [DONE, GIVE_UP];
  const actions = [...ACTIONS.values()]
    .filter(({ name }) => isUseful(name, context))
    .map((action) =>
      action.name === "click" && !showsPicture(context) ? withoutPoint(toTool(action)) : toTool(action),
    );
  return [...actions, NOTE, ...(context.wantsData ? [EXTRACT] : []), DONE, GIVE_UP];
}

function isUseful(name: string, { seesImages, isStuck, prompt, observation }: ToolContext): boolean {
  switch (name) {
    case "look":
      return seesImages;
    case "dialog":
      return observation.dialog !== null;
    case "tab":
      return observation.tabs.length > 1;
    case "upload":
      return (
        isStuck || MENTIONS_FILES.test(prompt) || walk(observation.root).some(({ node }) => node.field?.type === "file")
      );
    case "edit":
      return walk(observation.root).some(({ node }) => isEditable(node));
    case "drag":
      return isStuck || walk(observation.root).some(({ node }) => isDraggable(node));
    default:
      return true;
  }
}

/** A field with a text that may be changed in part. What an editor that draws its text holds is unknown: null. */
function isEditable({ field, value }: ObservedNode): boolean {
  return (field?.type === "textarea" || field?.type === "contenteditable") && value !== "";
}

/** Points are only for what the model sees and the observation cannot tell. */
function showsPicture({ hasScreenshot, observation }: ToolContext): boolean {
  return hasScreenshot && walk(observation.root).some(({ node }) => node.ref !== null && isPicture(node));
}

function withoutPoint({ input, ...tool }: Tool): Tool {
  const { x: _x, y: _y, ...properties } = input["properties"] as Json;
  return { ...tool, input: { ...input, properties } };
}

/** Splitters are left out: a page is not read or used differently for their sake. */
function isDraggable({ role, ref, states, field }: ObservedNode): boolean {
  return ref !== null && (states.draggable === true || role === "slider" || field?.type === "range");
}

type Json = Readonly<Record<string, unknown>>;

/** Inputs that every action has are explained once, in the system prompt. Limits are checked when the action runs. */
function toTool({ name, description, input }: Action): Tool {
  const { properties = {}, required } = JSON.parse(JSON.stringify(input)) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const slim = Object.entries(properties).map(([key, schema]) => [
    key,
    EXPLAINED_INPUTS.has(key) ? { type: "string" } : toSlimSchema(schema),
  ]);
  return {
    name,
    description,
    input: { type: "object", properties: Object.fromEntries(slim), ...(required === undefined ? {} : { required }) },
  };
}

const EXPLAINED_INPUTS: ReadonlySet<string> = new Set(["ref", "label", "to_ref", "to_label"]);

function toSlimSchema({ type, enum: values, items, description }: Json): Json {
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
  value: text("The value, as written in the quote."),
  quote: text("The line of the page that says so, verbatim."),
};

const NOTE: Tool = {
  name: "note",
  description: "Saves a fact from the current page for later. Returns an id that done can cite.",
  input: { type: "object", properties: FACT, required: ["about", "value", "quote"] },
};

const EXTRACT: Tool = {
  name: "extract",
  description:
    "Extracts the requested data from the current page and reports what is missing. Call it on each page that has some.",
  input: { type: "object", properties: {} },
};

const string = { type: "string" };

const DONE: Tool = {
  name: "done",
  description:
    "Ends the errand as done. Call it alone, and only after a page has shown the result. facts: what was asked for, each as " +
    "in note. notes: ids of notes to cite. proofs: for each change, text of a page, or a field and its value (checked or " +
    "unchecked for a checkbox), seen since the change. Everything is verified.",
  input: {
    type: "object",
    properties: {
      answer: text("For the user, in plain words."),
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
  description: "Ends the errand without success. Better than a false claim.",
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

const MAX_REASON_CHARS = 400;

/** The model's word for the ending → the failure that the caller sees. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["goal_unreachable", "goal_unreachable"],
  ["blocked", "blocked"],
  ["sign_in_required", "reauthorization_required"],
  ["not_allowed", "policy_violation"],
  ["site_error", "site_error"],
  ["unclear_task", "unsupported_prompt"],
  ["out_of_budget", "step_limit"],
]);

/** Once something was changed, "unclear_task" no longer counts: the prompt was not refused. */
export function toGiveUp(kind: unknown, reason: unknown, hasWritten: boolean): GiveUp {
  const named = FAILURES.get(String(kind)) ?? "goal_unreachable";
  const failure = named === "unsupported_prompt" && hasWritten ? "goal_unreachable" : named;
  const said = toOneLine(String(reason ?? ""), MAX_REASON_CHARS);
  return giveUp(failure, said === "" ? "The planner gave up without giving a reason." : said);
}

export function giveUp(failure: Failure, reason: string, code: string = failure.toUpperCase()): GiveUp {
  return { kind: "give_up", failure, code, reason };
}
