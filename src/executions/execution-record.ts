import type { Execution, ExecutionResult, ExecutionStatus, Failure } from "../contract/execution.ts";

/** An execution as it is stored. */
export interface ExecutionRecord {
  id: string;
  connectionId: string;
  status: ExecutionStatus;
  terminal: { status: "verified" | Failure; reason: string } | null;
  prompt: string;
  startUrl: string | null;
  outputSchema: Record<string, unknown> | null;
  result: ExecutionResult | null;
  error: { code: string; message: string } | null;
  credits: number;
  charged: boolean;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** The wire object: exactly the contract's fields, every key always present. */
export function toWire(record: ExecutionRecord): Execution {
  return {
    id: record.id,
    status: record.status,
    terminal: record.terminal,
    prompt: record.prompt,
    start_url: record.startUrl,
    output_schema: record.outputSchema,
    result: record.result,
    error: record.error,
    usage: { credits: record.credits, charged: record.charged },
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
    completed_at: record.completedAt?.toISOString() ?? null,
  };
}
