import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { Runner } from "./connection-choice.tsx";
import { fromOutputSchema, NOTHING_REQUESTED, type RequestedData } from "./requested-fields.ts";

/** What the box is filled with. */
export interface ErrandDraft {
  prompt: string;
  startUrl: string;
  data: RequestedData;
  /** As whom it runs. Null: the form chooses, and the person can change it. */
  runner: Runner | null;
}

export const EMPTY_DRAFT: ErrandDraft = { prompt: "", startUrl: "", data: NOTHING_REQUESTED, runner: null };

/** The same errand, to be edited. */
export function toDraft({ execution, application, connection }: ConsoleExecution): ErrandDraft {
  return {
    prompt: execution.prompt,
    startUrl: execution.start_url ?? "",
    data: fromOutputSchema(execution.output_schema),
    runner: { applicationId: application.id, connectionId: connection.id, email: connection.user_email },
  };
}
