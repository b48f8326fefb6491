import { type Static, Type } from "typebox";
import type { Execution, ExecutionStatus } from "../execution.ts";

const closed = { additionalProperties: false };

/** GET /console/api/executions: of one's applications and of one's own connections, newest first. */
export const ExecutionQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal("QUEUED"), Type.Literal("RUNNING"), Type.Literal("COMPLETED"), Type.Literal("FAILED")]),
    ),
    /** `terminal.status`, such as `unverified`. */
    outcome: Type.Optional(Type.String({ maxLength: 50 })),
    application_id: Type.Optional(Type.String({ maxLength: 36 })),
    connection_id: Type.Optional(Type.String({ maxLength: 36 })),
    /** Anywhere in the prompt, whatever its case; or an execution's id. */
    text: Type.Optional(Type.String({ maxLength: 200 })),
    /** When it was created: from this moment on, and before that one. */
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
 * GET /console/api/executions/:id. Its events, artifacts and their bytes are at …/:id/events (JSON with `after`, or
 * server-sent events), …/:id/artifacts and …/:id/artifacts/:artifactId, as in the token interface.
 */
export interface ConsoleExecution {
  execution: Execution;
  application: { id: string; name: string };
  connection: { id: string; user_email: string };
  /** Whether the person may run it again: the owner pays, so only they may. */
  may_run_again: boolean;
}

/** POST /console/api/executions → 201 `{ execution }`. Only for connections of one's own applications. */
export const NewExecutionBody = Type.Object(
  {
    connection_id: Type.String({ maxLength: 36 }),
    prompt: Type.String(),
    start_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    output_schema: Type.Optional(Type.Union([Type.Unsafe<Record<string, unknown>>({ type: "object" }), Type.Null()])),
  },
  closed,
);
export type NewExecutionBody = Static<typeof NewExecutionBody>;

/** POST …/:id/again → 201, POST …/:id/cancel → 200, POST /console/api/first-errand → 201: all answer this. */
export interface ExecutionResponse {
  execution: Execution;
}
