import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { Runner } from "./connection-choice.tsx";
import { fromOutputSchema, NOTHING_REQUESTED, type RequestedData } from "./requested-fields.ts";

/** What the box is filled with. */
export interface ErrandDraft {
  prompt: string;
  startUrl: string;
  data: RequestedData;
  /** Whether a person is asked before anything is bought, sent or deleted. */
  asksFirst: boolean;
  /** As whom it runs. Null: the form chooses, and the person can change it. */
  runner: Runner | null;
}

export const EMPTY_DRAFT: ErrandDraft = {
  prompt: "",
  startUrl: "",
  data: NOTHING_REQUESTED,
  asksFirst: false,
  runner: null,
};

/** The same errand, to be edited. */
export function toDraft({ execution, application, connection, approval }: ConsoleExecution): ErrandDraft {
  return {
    prompt: execution.prompt,
    startUrl: execution.start_url ?? "",
    data: fromOutputSchema(execution.output_schema),
    asksFirst: approval === "commits",
    runner: { applicationId: application.id, connectionId: connection.id, email: connection.user_email },
  };
}
