import type { ExecutionRecord } from "../../executions/execution.ts";

/** The columns of executions that an ExecutionRecord needs. */
export interface ExecutionRow {
  id: string;
  connection_id: string;
  status: ExecutionRecord["status"];
  terminal_status: NonNullable<ExecutionRecord["terminal"]>["status"] | null;
  terminal_reason: string | null;
  prompt: string;
  start_url: string | null;
  output_schema: ExecutionRecord["outputSchema"];
  approval: ExecutionRecord["approval"];
  metadata: ExecutionRecord["metadata"];
  recipe_id: string | null;
  recipe_version: number | null;
  recipe_values: Record<string, string> | null;
  recipe_outcome: NonNullable<ExecutionRecord["recipe"]>["outcome"];
  result: ExecutionRecord["result"];
  error_code: string | null;
  error_message: string | null;
  credits: number;
  charged: boolean;
  request_hash: Buffer | null;
  fence: number;
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}

const COLUMNS: (keyof ExecutionRow)[] = [
  "id",
  "connection_id",
  "status",
  "terminal_status",
  "terminal_reason",
  "prompt",
  "start_url",
  "output_schema",
  "approval",
  "metadata",
  "recipe_id",
  "recipe_version",
  "recipe_values",
  "recipe_outcome",
  "result",
  "error_code",
  "error_message",
  "credits",
  "charged",
  "request_hash",
  "fence",
  "created_at",
  "updated_at",
  "completed_at",
];

/** The columns of an ExecutionRow, for a select list. */
export function executionColumns(table: string): string {
  return COLUMNS.map((column) => `${table}.${column}`).join(", ");
}

export function toExecutionRecord(row: ExecutionRow): ExecutionRecord {
  return {
    id: row.id,
    connectionId: row.connection_id,
    status: row.status,
    terminal: row.terminal_status === null ? null : { status: row.terminal_status, reason: row.terminal_reason ?? "" },
    prompt: row.prompt,
    startUrl: row.start_url,
    outputSchema: row.output_schema,
    approval: row.approval,
    metadata: row.metadata,
    recipe: toRecipe(row),
    result: row.result,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    credits: row.credits,
    charged: row.charged,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}

function toRecipe({ recipe_id: id, recipe_version: version, ...row }: ExecutionRow): ExecutionRecord["recipe"] {
  if (id === null || version === null) return null;
  return { id, version, values: row.recipe_values ?? {}, outcome: row.recipe_outcome };
}
