import { Badge } from "@mantine/core";
import type { Failure } from "../../../../src/contract/execution.ts";

interface Outcome {
  status: string;
  terminal: { status: string } | null;
}

const COLORS: Record<string, string> = { QUEUED: "gray", RUNNING: "blue", COMPLETED: "teal", FAILED: "red" };

/** How an execution stands, in a word or two; the code behind it is a title. */
export function OutcomeBadge({ status, terminal }: Outcome) {
  const isSoft = terminal?.status === "canceled";
  return (
    <Badge
      color={isSoft ? "gray" : (COLORS[status] ?? "gray")}
      variant="light"
      tt="none"
      title={terminal?.status ?? status}
      style={{ flexShrink: 0 }}
    >
      {outcomeWord(status, terminal?.status ?? null)}
    </Badge>
  );
}

interface FailureWords {
  /** In the list of filters. */
  label: string;
  /** What happened, as a headline. */
  title: string;
  /** What to do next, beside what the run itself says. */
  advice: string;
}

export const FAILURE_WORDS: Record<Failure, FailureWords> = {
  unverified: {
    label: "Not verified",
    title: "The result could not be confirmed",
    advice: "Look at the checks below: they say what was missing. It was not charged.",
  },
  goal_unreachable: {
    label: "Could not be done",
    title: "What was asked for could not be reached",
    advice: "Look at the last picture. If the site calls it something else, use the site's own words in the prompt.",
  },
  reauthorization_required: {
    label: "Needs sign-in",
    title: "The user has to sign in again",
    advice: "Send them through the authorization link of the application once more, then run it again.",
  },
  blocked: {
    label: "Blocked by the site",
    title: "The site wants proof that a person is there",
    advice: "Errand does not get around that. Try again later, or ask the owner of the site for access.",
  },
  policy_violation: {
    label: "Against the rules",
    title: "It would have broken the rules of the application",
    advice: "If this is wanted, change the hosts that the application may visit, or let it change things.",
  },
  output_schema_mismatch: {
    label: "Data does not fit",
    title: "The data does not fit the schema",
    advice: "Compare the schema with what the page offers, and make optional what may be missing.",
  },
  step_limit: {
    label: "Too many steps",
    title: "It took more steps than it may",
    advice: "Split the errand into smaller ones, or raise the limits of the installation.",
  },
  timed_out: {
    label: "Timed out",
    title: "It took too long",
    advice: "Split the errand into smaller ones, or try again when the site is faster.",
  },
  canceled: { label: "Canceled", title: "It was canceled", advice: "Run it again when you want it done after all." },
  site_error: { label: "Site error", title: "The site did not work", advice: "Try again later." },
  model_error: {
    label: "Model error",
    title: "The language model could not be used",
    advice: "Settings show the state of the model; the operator can mend it.",
  },
  unsupported_prompt: {
    label: "Not understood",
    title: "The prompt was not understood",
    advice: "Nothing was done. Say it in plain steps, with the words that the site uses.",
  },
  worker_lost: {
    label: "Interrupted",
    title: "The run was interrupted",
    advice: "Look at the site before you run it again: its last step may have been done.",
  },
  internal_error: {
    label: "Internal error",
    title: "Something went wrong inside Errand",
    advice: "This is a fault of ours. The log of the service has the details.",
  },
};

export function failureWords(status: string): FailureWords {
  return Object.hasOwn(FAILURE_WORDS, status)
    ? FAILURE_WORDS[status as Failure]
    : { label: status, title: "It failed", advice: "" };
}

const STATE_WORDS: Record<string, string> = { QUEUED: "Queued", RUNNING: "Running", COMPLETED: "Verified" };

/** How an execution stands, in a word or two. */
function outcomeWord(status: string, outcome: string | null): string {
  return STATE_WORDS[status] ?? (outcome === null ? "Failed" : failureWords(outcome).label);
}
