import { NativeSelect } from "@mantine/core";
import type { ExecutionStatus } from "../../../../../src/contract/execution.ts";
import { FAILURE_WORDS } from "../outcome-words.ts";
import type { ListFilter } from "./list-filter.ts";

const STATES: Record<ExecutionStatus, string> = {
  QUEUED: "Queued",
  RUNNING: "Running",
  COMPLETED: "Verified",
  FAILED: "Failed, for any reason",
};

const CHOICES = [
  { label: "Any outcome", value: "" },
  ...Object.entries(STATES).map(([status, label]) => ({ label, value: `status:${status}` })),
  {
    group: "Failed because",
    items: Object.entries(FAILURE_WORDS).map(([outcome, { label }]) => ({ label, value: `outcome:${outcome}` })),
  },
];

type Chosen = Pick<ListFilter, "status" | "outcome">;

/** State and outcome are one question to a person. */
export function OutcomeFilter({ chosen, onChoose }: { chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
  return (
    <NativeSelect
      aria-label="Outcome"
      data={CHOICES}
      value={toValue(chosen)}
      onChange={(event) => onChoose(fromValue(event.currentTarget.value))}
    />
  );
}

function toValue({ status, outcome }: Chosen): string {
  if (outcome === "verified") return "status:COMPLETED";
  if (outcome !== undefined) return `outcome:${outcome}`;
  return status === undefined ? "" : `status:${status}`;
}

function fromValue(value: string): Chosen {
  const [kind, word = ""] = value.split(":");
  if (kind === "outcome") return { outcome: word };
  return kind === "status" ? { status: word as ExecutionStatus } : {};
}
