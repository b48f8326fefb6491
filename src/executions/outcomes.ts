import { type Aftermath, type FailedOutcome, NO_AFTERMATH, type Outcome } from "./execution.ts";

export const CANCELED: Outcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was canceled before it started." },
  error: {
    code: "CANCELED",
    message: "The execution was canceled before it started. Nothing was done. Create a new execution to run it.",
  },
  aftermath: NO_AFTERMATH,
};

export const SIGN_IN_DELETED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The saved sign-in was deleted before the execution started." },
  error: {
    code: "CANCELED",
    message:
      "The saved sign-in was deleted before the execution started. Nothing was done. Send the user through the authorization " +
      "link, then create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export const CONNECTION_STOPPED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The connection was stopped before the execution started." },
  error: {
    code: "CANCELED",
    message:
      "The connection was stopped before the execution started. Nothing was done. Send the user through the authorization " +
      "link, then create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export const CONNECTION_DELETED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The connection was deleted before the execution ended." },
  error: {
    code: "CANCELED",
    message: "The connection was deleted before the execution ended. If it was running, check on the site what it did.",
  },
  aftermath: NO_AFTERMATH,
};

export const RESTORED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was queued in the backup that was restored." },
  error: {
    code: "CANCELED",
    message:
      "The service was restored from a backup in which the execution was queued. It may have run after the backup was made: " +
      "check the site before you create it again.",
  },
  aftermath: NO_AFTERMATH,
};

export const WORKER_LOST: Outcome = {
  status: "FAILED",
  terminal: { status: "worker_lost", reason: "The worker that ran the execution stopped responding." },
  error: {
    code: "WORKER_LOST",
    message:
      "The worker stopped responding, so the execution's last actions are unknown. Check the site before you create it again.",
  },
  aftermath: NO_AFTERMATH,
};

export const SIGNED_OUT_BEFORE_RUN: Outcome = {
  status: "FAILED",
  terminal: {
    status: "reauthorization_required",
    reason: "The user was signed out before this execution started.",
  },
  error: {
    code: "REAUTHORIZATION_REQUIRED",
    message: "The user must sign in again: send them through the authorization link, then create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export function canceledWhileRunning(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "canceled", reason: "The execution was canceled while it was running." },
    error: {
      code: "CANCELED",
      message: `The execution was canceled while it was running. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

export function stoppedByShutdown(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "worker_lost", reason: "The service was stopped while the execution was running." },
    error: {
      code: "SHUTTING_DOWN",
      message: `The service was stopped while the execution was running. It is not retried automatically. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

export function timedOut(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "timed_out", reason: "The execution exceeded its time limit and was stopped." },
    error: {
      code: "TIMED_OUT",
      message: `The execution exceeded its time limit and was stopped. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

export function policyViolation(reason: string, message: string): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "policy_violation", reason },
    error: { code: "POLICY_VIOLATION", message },
    aftermath: NO_AFTERMATH,
  };
}

/** A bug in Errand: the log has the details under the error id. */
export function internalError(errorId: string, aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "internal_error", reason: "An internal error occurred." },
    error: {
      code: "INTERNAL_ERROR",
      message: `An internal error occurred; the service's log has details under error_id ${errorId}. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

function describeChanges({ sideEffects }: Aftermath): string {
  if (sideEffects.length === 0) return "Nothing was changed.";
  const changes = sideEffects.length === 1 ? "one change" : `${sideEffects.length} changes`;
  return `It had already made ${changes}, listed by GET …/executions/{id}/evidence: check the site before you create it again.`;
}
