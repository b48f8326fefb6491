import { Badge } from "@mantine/core";
import { outcomeWord } from "../pages/executions/outcome-words.ts";

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
