import { type Aftermath, type FailedOutcome, NO_AFTERMATH, type Outcome } from "./execution.ts";

export const CANCELED: Outcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was canceled before it ran." },
  error: {
    code: "CANCELED",
    message: "The execution was canceled before it ran: nothing was done. Create a new one to run it.",
  },
  aftermath: NO_AFTERMATH,
};

export const SIGN_IN_DELETED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The saved sign-in was deleted before the execution ran." },
  error: {
    code: "CANCELED",
    message:
      "The saved sign-in was deleted before the execution ran: nothing was done. Send the user through the authorization " +
      "link once more, then create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export const CONNECTION_DELETED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The connection was deleted before the execution had ended." },
  error: {
    code: "CANCELED",
    message:
      "The connection was deleted before the execution had ended. If it was running, check the site for what it did.",
  },
  aftermath: NO_AFTERMATH,
};

export const RESTORED: FailedOutcome = {
  status: "FAILED",
  terminal: { status: "canceled", reason: "The execution was waiting when the backup was made that was restored." },
  error: {
    code: "CANCELED",
    message:
      "The service was restored from a backup in which the execution was waiting. Perhaps it has run since the backup was made: " +
      "check the site before you create it again.",
  },
  aftermath: NO_AFTERMATH,
};

export const WORKER_LOST: Outcome = {
  status: "FAILED",
  terminal: { status: "worker_lost", reason: "The worker that ran the execution was lost." },
  error: {
    code: "WORKER_LOST",
    message:
      "The worker was lost while it ran, so what it did last is unknown. Check the site before you create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export const SIGNED_OUT_BEFORE_RUN: Outcome = {
  status: "FAILED",
  terminal: {
    status: "reauthorization_required",
    reason: "The user was found signed out before this execution had its turn.",
  },
  error: {
    code: "REAUTHORIZATION_REQUIRED",
    message:
      "The user must sign in again: send them through the authorization link once more, then create the execution again.",
  },
  aftermath: NO_AFTERMATH,
};

export function canceledWhileRunning(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "canceled", reason: "The execution was canceled while it ran." },
    error: { code: "CANCELED", message: `The execution was canceled while it ran. ${describeChanges(aftermath)}` },
    aftermath,
  };
}

export function stoppedByShutdown(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "worker_lost", reason: "The service was stopped while the execution ran." },
    error: {
      code: "SHUTTING_DOWN",
      message: `The service was stopped while the execution ran, and it is not run again by itself. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

export function timedOut(aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "timed_out", reason: "The run did not end in time and was broken off." },
    error: {
      code: "TIMED_OUT",
      message: `The run did not end in time and was broken off. ${describeChanges(aftermath)}`,
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

/** Our own fault: the log has the rest under the id. */
export function internalError(errorId: string, aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: "internal_error", reason: "Something went wrong inside the service." },
    error: {
      code: "INTERNAL_ERROR",
      message: `Something went wrong inside the service; its log has more under ${errorId}. ${describeChanges(aftermath)}`,
    },
    aftermath,
  };
}

function describeChanges({ sideEffects }: Aftermath): string {
  if (sideEffects.length === 0) return "Nothing had been changed.";
  const changes = sideEffects.length === 1 ? "one change" : `${sideEffects.length} changes`;
  return `It had made ${changes} before, listed in side_effects of its last event: check the site before you create it again.`;
}
