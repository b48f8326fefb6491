import { Badge } from "@mantine/core";
import type { Failure } from "../../../../src/contract/execution-error.ts";

interface Outcome {
  status: string;
  terminal: { status: string } | null;
  /** Whether a running errand waits for a person. */
  isWaiting?: boolean;
}

const COLORS: Record<string, string> = { QUEUED: "gray", RUNNING: "blue", COMPLETED: "teal", FAILED: "red" };

/** The outcome in a word or two, with the status code as its tooltip. */
export function OutcomeBadge({ status, terminal, isWaiting = false }: Outcome) {
  const isCanceled = terminal?.status === "canceled";
  return (
    <Badge
      color={isWaiting ? "yellow" : isCanceled ? "gray" : (COLORS[status] ?? "gray")}
      variant="light"
      tt="none"
      title={terminal?.status ?? status}
      style={{ flexShrink: 0 }}
    >
      {isWaiting ? "Waiting for an answer" : outcomeLabel(status, terminal?.status ?? null)}
    </Badge>
  );
}

interface FailureWords {
  /** In the list of filters. */
  label: string;
  /** What happened, as a headline. */
  title: string;
  /** What to do next, in addition to the execution's own message. */
  advice: string;
}

export const FAILURE_WORDS: Record<Failure, FailureWords> = {
  unverified: {
    label: "Not verified",
    title: "The result couldn't be verified",
    advice: "The checks below show what was missing. This errand wasn't charged.",
  },
  goal_unreachable: {
    label: "Couldn't be done",
    title: "The errand couldn't be completed",
    advice: "Check the last screenshot. If the site uses different words, use those in your errand.",
  },
  reauthorization_required: {
    label: "Needs sign-in",
    title: "The user needs to sign in again",
    advice: "Send them through the application's authorization link, then run the errand again.",
  },
  blocked: {
    label: "Blocked by the site",
    title: "The site asked for proof that a person is there",
    advice: "Errand doesn't bypass these checks. Try again later, or ask the site's owner for access.",
  },
  policy_violation: {
    label: "Not allowed",
    title: "The application's settings don't allow this errand",
    advice: "To allow it, change the application's allowed hosts or turn off read-only access.",
  },
  output_schema_mismatch: {
    label: "Data doesn't match",
    title: "The data doesn't match the schema",
    advice: "Compare the schema with what the page shows, and make fields optional if they can be missing.",
  },
  step_limit: {
    label: "Too many steps",
    title: "The errand reached the step limit",
    advice: "Split it into smaller errands, or raise the step limit of this installation.",
  },
  timed_out: {
    label: "Timed out",
    title: "The errand timed out",
    advice: "Split it into smaller errands, or try again later.",
  },
  canceled: { label: "Canceled", title: "The errand was canceled", advice: "You can run it again at any time." },
  approval_declined: {
    label: "Declined",
    title: "The approval was declined",
    advice: "What had to be approved was not sent, and nothing was charged.",
  },
  approval_expired: {
    label: "Not approved in time",
    title: "Nobody approved it in time",
    advice: "What had to be approved was not sent, and nothing was charged. Run it again when somebody can approve it.",
  },
  interaction_expired: {
    label: "Nobody answered",
    title: "Nobody answered in time",
    advice: "The errand needed a person. Run it again when somebody can answer.",
  },
  site_error: { label: "Site error", title: "The site isn't working", advice: "Try again later." },
  model_error: {
    label: "Model error",
    title: "The language model isn't available",
    advice: "The owner of this installation can check the model under Settings.",
  },
  unsupported_prompt: {
    label: "Not understood",
    title: "The errand wasn't understood",
    advice: "Nothing was changed. Say it step by step, with the names that the site shows.",
  },
  worker_lost: {
    label: "Interrupted",
    title: "The errand was interrupted",
    advice: "Check the site before you run it again: the last step may already have been done.",
  },
  internal_error: {
    label: "Internal error",
    title: "Something went wrong in Errand",
    advice: "This is a bug in Errand. The service log has the details.",
  },
};

export function failureWords(status: string): FailureWords {
  return Object.hasOwn(FAILURE_WORDS, status)
    ? FAILURE_WORDS[status as Failure]
    : { label: status, title: "The errand failed", advice: "" };
}

const STATUS_LABELS: Record<string, string> = { QUEUED: "Queued", RUNNING: "Running", COMPLETED: "Verified" };

function outcomeLabel(status: string, outcome: string | null): string {
  return STATUS_LABELS[status] ?? (outcome === null ? "Failed" : failureWords(outcome).label);
}
