import type { Outcome } from "./execution-state.ts";

export const CANCELED: Outcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was canceled before it ran." },
  error: {
    code: "CANCELED",
    message: "The execution was canceled before it ran: nothing was done. Create a new one to run it.",
  },
};
