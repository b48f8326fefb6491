import { Anchor, Badge } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { Moment } from "../../components/time.tsx";
import type { Voice } from "./connection-actions.tsx";

type Standing = "active" | "no-token" | "waiting";

const STATE_WORDS: Record<Voice, Record<Standing, string>> = {
  owner: { active: "Active", "no-token": "No token in use", waiting: "Nothing runs until they connect again" },
  user: {
    active: "May act for you",
    "no-token": "No token in use",
    waiting: "Can do nothing until you connect again",
  },
};
const COLORS: Record<Standing, string> = { active: "teal", "no-token": "gray", waiting: "yellow" };

/** How a connection stands, in a few words. */
export function ConnectionStateBadge({ connection, voice }: { connection: ConsoleConnection; voice: Voice }) {
  const standing = standingOf(connection);
  return (
    <Badge color={COLORS[standing]} variant="light" tt="none" className="connection-standing">
      {STATE_WORDS[voice][standing]}
    </Badge>
  );
}

function standingOf({ state, has_token }: ConsoleConnection): Standing {
  if (state === "REAUTHORIZATION_REQUIRED") return "waiting";
  return has_token ? "active" : "no-token";
}

const OUTCOME_WORDS: Record<string, string> = {
  QUEUED: "waiting",
  RUNNING: "running",
  COMPLETED: "completed",
  FAILED: "failed",
};

/** When something last ran, how it stands, and the way there. */
export function LastErrand({ execution }: { execution: ConsoleConnection["last_execution"] }) {
  if (execution === null) return "never";
  return (
    <Anchor component={Link} href={`/executions/${execution.id}`} inherit underline="always">
      <Moment at={execution.created_at} />, {OUTCOME_WORDS[execution.status] ?? execution.status.toLowerCase()}
    </Anchor>
  );
}
