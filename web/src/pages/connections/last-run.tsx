import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { Moment } from "../../parts/moment.tsx";

const WORDS: Record<string, string> = {
  QUEUED: "waiting",
  RUNNING: "running",
  COMPLETED: "completed",
  FAILED: "failed",
};

/** When something last ran, how it stands, and the way there. */
export function LastRun({ execution }: { execution: ConsoleConnection["last_execution"] }) {
  if (execution === null) return "never";
  return (
    <Anchor component={Link} href={`/executions/${execution.id}`} inherit underline="always">
      <Moment at={execution.created_at} />, {WORDS[execution.status] ?? execution.status.toLowerCase()}
    </Anchor>
  );
}
