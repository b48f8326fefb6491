import { type Static, Type } from "typebox";
import type { Execution, ExecutionStatus } from "../execution.ts";
import { CreateExecution, PROMPT_MAX_LENGTH } from "../execution-request.ts";
import { Approval } from "../interaction.ts";
import type { LiveLink } from "../live-run.ts";
import type { ExecutionRecipe, RecipeDraft } from "./recipes.ts";

const closed = { additionalProperties: false };

/** GET /console/api/executions: those of the person's applications and connections, newest first. */
export const ExecutionQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal("QUEUED"), Type.Literal("RUNNING"), Type.Literal("COMPLETED"), Type.Literal("FAILED")]),
    ),
    /** `terminal.status`, such as `unverified`. */
    outcome: Type.Optional(Type.String({ maxLength: 50 })),
    application_id: Type.Optional(Type.String({ maxLength: 36 })),
    connection_id: Type.Optional(Type.String({ maxLength: 36 })),
    /** Text in the prompt, case-insensitive, or the id of an execution. */
    text: Type.Optional(Type.String({ maxLength: 200 })),
    /** Created at or after `since` and before `until`. */
    since: Type.Optional(Type.String({ format: "date-time" })),
    until: Type.Optional(Type.String({ format: "date-time" })),
    after: Type.Optional(Type.String({ maxLength: 36 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  },
  closed,
);
export type ExecutionQuery = Static<typeof ExecutionQuery>;

export interface ExecutionList {
  executions: ExecutionItem[];
  has_more: boolean;
}

export interface ExecutionItem {
  id: string;
  status: ExecutionStatus;
  terminal: { status: string; reason: string } | null;
  /** Whether it waits for a person. */
  is_waiting: boolean;
  /** The first 300 characters. */
  prompt: string;
  application: { id: string; name: string };
  connection: { id: string; user_email: string };
  credits: number;
  charged: boolean;
  created_at: string;
  completed_at: string | null;
}

/**
 * GET /console/api/executions/:id. As in the API: …/:id/events (JSON with `after`, or server-sent events),
 * …/:id/artifacts and …/:id/artifacts/:artifactId.
 */
export interface ConsoleExecution {
  execution: Execution;
  application: { id: string; name: string };
  connection: { id: string; user_email: string };
  /** What was asked for when it was created. Null: what the application and the user want. */
  approval: Approval | null;
  /** Whether the person may run it again. Only the owner may, because the owner pays. */
  may_run_again: boolean;
  /** The recipe that it ran with, or that was learned from it. Null without one, and for others than the owner. */
  recipe: ExecutionRecipe | null;
  /** What can be saved as a recipe. Null when there is nothing to save, and for others than the owner. */
  recipe_draft: RecipeDraft | null;
}

/** POST /console/api/executions/:id/live. Only the user may take over: the browser is signed in as them. */
export interface ConsoleLiveLink extends LiveLink {
  may_take_over: boolean;
}

/** POST /console/api/executions → 201 `{ execution }`. Only for connections of the person's applications. */
export const NewExecutionBody = Type.Object(
  {
    connection_id: Type.String({ maxLength: 36 }),
    prompt: Type.String(),
    start_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    output_schema: Type.Optional(Type.Union([Type.Unsafe<Record<string, unknown>>({ type: "object" }), Type.Null()])),
    approval: Type.Optional(Type.Union([Approval, Type.Null()])),
    /** As in the API: the id of a recipe, with a value for each of its variables. */
    recipe: CreateExecution.properties.recipe,
    variables: CreateExecution.properties.variables,
  },
  closed,
);
export type NewExecutionBody = Static<typeof NewExecutionBody>;

/** POST /console/api/steps → `StepsReading`: what a prompt means where no model is configured. Runs nothing. */
export const StepsBody = Type.Object({ prompt: Type.String({ maxLength: PROMPT_MAX_LENGTH }) }, closed);

export interface StepsReading {
  /** `said` is null for a step of a YAML or JSON list, which nobody said in English. */
  steps: { said: string | null; does: string }[];
  /** What comes after the steps and is not understood. Null when all of it is. */
  problem: {
    /** The words that are not understood. */
    clause: string | null;
    reason: string;
    /** The nearest sentence that works. */
    suggestion: string | null;
  } | null;
}

/** The response of POST …/:id/again (201), POST …/:id/cancel (200) and POST /console/api/first-errand (201). */
export interface ExecutionResponse {
  execution: Execution;
}
