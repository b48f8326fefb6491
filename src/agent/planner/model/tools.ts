import { type ExecutionErrorCode, type Failure, toErrorCode } from "../../../contract/execution-error.ts";
import type { Tool } from "../../../models/model.ts";
import type { Action } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { toOneLine } from "../../safe-text.ts";
import type { Decision } from "../planner.ts";

interface ToolContext {
  readonly seesImages: boolean;
  /** Whether the task asks for data. */
  readonly wantsData: boolean;
  /** Whether the user can be asked. */
  readonly canAsk: boolean;
}

/** What the model may call. The same for a whole run, byte for byte, so that providers can cache it. */
export function listTools({ seesImages, wantsData, canAsk }: ToolContext): Tool[] {
  const act = seesImages ? ACT_WITH_IMAGES : ACT;
  return [act, NOTE, ...(wantsData ? [EXTRACT] : []), ...(canAsk ? [ASK_USER] : []), DONE, GIVE_UP];
}

type Json = Readonly<Record<string, unknown>>;

/** Inputs that are accepted, but not described: most tasks do without them. */
const UNLISTED = ["nth", "all", "close", "screens", "to_label", "url_contains", "timeout_seconds"];

/** All actions as one tool: their inputs are described once instead of once for each action. */
function createActTool(actions: readonly Action[], unlisted: readonly string[]): Tool {
  const batchOf = actions.map(toTool);
  const inputs = batchOf.flatMap(({ input }) => Object.entries(input["properties"] as Json));
  const listed = inputs.filter(([name]) => !unlisted.includes(name));
  const item = {
    type: "object",
    properties: { action: string, ...Object.fromEntries(listed), commit: string },
    required: ["action"],
  };
  return {
    name: "act",
    description: [
      "Up to five actions in order, until a new page, a dialog or a failure:",
      ...actions.map(({ name, description }) => (description === "" ? name : `${name}: ${description}`)),
    ].join("\n"),
    input: { type: "object", properties: { actions: { type: "array", items: item } }, required: ["actions"] },
    batchOf,
  };
}

/** Limits are checked when the action runs. */
function toTool({ name, description, input }: Action): Tool {
  const { properties = {}, required = [] } = input as { properties?: Record<string, Json>; required?: string[] };
  const slim = Object.entries(properties).map(([key, schema]) => [key, toSlimSchema(schema)]);
  return { name, description, input: { type: "object", properties: Object.fromEntries(slim), required } };
}

function toSlimSchema({ type, enum: values, items }: Json): Json {
  return {
    type: type ?? "string",
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: string }),
  };
}

const string = { type: "string" };
const fact = { about: string, value: string, quote: string };

const ALL_ACTIONS = [...ACTIONS.values()];
const ACT_WITH_IMAGES = createActTool(ALL_ACTIONS, UNLISTED);
const ACT = createActTool(
  ALL_ACTIONS.filter(({ name }) => name !== "look"),
  [...UNLISTED, "x", "y"],
);

const NOTE: Tool = {
  name: "note",
  description: "Saves a fact of this page and the line that says so.",
  input: { type: "object", properties: fact, required: ["about", "value", "quote"] },
};

const EXTRACT: Tool = {
  name: "extract",
  description: "Extracts the requested data from this page.",
  input: { type: "object", properties: {} },
};

const ASK_USER: Tool = {
  name: "ask_user",
  description:
    "Asks the user what neither the task nor the site says: a choice (options), a detail, a one-time code (secret). Slow: " +
    "only if you cannot go on without it.",
  input: {
    type: "object",
    properties: { question: string, options: { type: "array", items: string }, secret: { type: "boolean" } },
    required: ["question"],
  },
};

const DONE: Tool = {
  name: "done",
  description:
    "facts: what was asked for. notes: ids. proofs: for each change, text of a page, or a field and its value (or checked, " +
    "unchecked), seen since.",
  input: {
    type: "object",
    properties: {
      answer: string,
      facts: { type: "array", items: { type: "object", properties: fact } },
      notes: { type: "array", items: string },
      proofs: { type: "array", items: { type: "object", properties: { text: string, field: string, value: string } } },
    },
    required: ["answer"],
  },
};

/** The model's word for an ending without success → the failure that the caller sees. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["goal_unreachable", "goal_unreachable"],
  ["refused_by_site", "goal_unreachable"],
  ["blocked", "blocked"],
  ["sign_in_required", "reauthorization_required"],
  ["not_allowed", "policy_violation"],
  ["site_error", "site_error"],
  ["unclear_task", "unsupported_prompt"],
  ["out_of_budget", "step_limit"],
]);

const GIVE_UP: Tool = {
  name: "give_up",
  description: "Ends the errand without success.",
  input: {
    type: "object",
    properties: { kind: { type: "string", enum: [...FAILURES.keys()] }, reason: string },
    required: ["kind", "reason"],
  },
};

type GiveUp = Extract<Decision, { kind: "give_up" }>;

const MAX_REASON_CHARS = 400;

/** Once something was changed, "unclear_task" no longer counts: the prompt was not refused. */
export function toGiveUp(kind: unknown, reason: unknown, hasWritten: boolean): GiveUp {
  const named = FAILURES.get(String(kind)) ?? "goal_unreachable";
  const failure = named === "unsupported_prompt" && hasWritten ? "goal_unreachable" : named;
  const said = toOneLine(String(reason ?? ""), MAX_REASON_CHARS);
  const reasonGiven = said === "" ? "The planner gave up without giving a reason." : said;
  return kind === "refused_by_site" ? giveUp(failure, reasonGiven, "REFUSED_BY_SITE") : giveUp(failure, reasonGiven);
}

export function giveUp(failure: Failure, reason: string, code: ExecutionErrorCode = toErrorCode(failure)): GiveUp {
  return { kind: "give_up", failure, code, reason };
}
