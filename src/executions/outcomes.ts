import type { Outcome } from "./execution-state.ts";

export const CANCELED: Outcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was canceled before it ran." },
  error: {
    code: "CANCELED",
    message: "The execution was canceled before it ran: nothing was done. Create a new one to run it.",
  },
};

export const WORKER_LOST: Outcome = {
  status: "FAILED",
  terminal: { status: "worker_lost", reason: "The worker that ran the execution was lost." },
  error: {
    code: "WORKER_LOST",
    message:
      "The worker was lost while it ran, so what it did last is unknown. Check the site before you create the execution again.",
  },
};
