import { Anchor, Badge } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { RelativeTime } from "../../components/time.tsx";
import type { Voice } from "./connection-actions.tsx";

type State = "active" | "no-token" | "paused";

const STATE_LABELS: Record<Voice, Record<State, string>> = {
  owner: { active: "Active", "no-token": "No active token", paused: "Needs reauthorization" },
  user: { active: "Active", "no-token": "No active token", paused: "Stopped until you reconnect" },
};
const COLORS: Record<State, string> = { active: "teal", "no-token": "gray", paused: "yellow" };

export function ConnectionStateBadge({ connection, voice }: { connection: ConsoleConnection; voice: Voice }) {
  const state = stateOf(connection);
  return (
    <Badge color={COLORS[state]} variant="light" tt="none" className="connection-state">
      {STATE_LABELS[voice][state]}
    </Badge>
  );
}

function stateOf({ state, has_token }: ConsoleConnection): State {
  if (state === "REAUTHORIZATION_REQUIRED") return "paused";
  return has_token ? "active" : "no-token";
}

const STATUS_LABELS: Record<string, string> = {
  QUEUED: "queued",
  RUNNING: "running",
  COMPLETED: "verified",
  FAILED: "failed",
};

/** When the last errand ran and its status, as a link to it. */
export function LastErrand({ execution }: { execution: ConsoleConnection["last_execution"] }) {
  if (execution === null) return "None yet";
  return (
    <Anchor component={Link} href={`/executions/${execution.id}`} inherit underline="always">
      <RelativeTime at={execution.created_at} />, {STATUS_LABELS[execution.status] ?? execution.status.toLowerCase()}
    </Anchor>
  );
}
