import { Badge } from "@mantine/core";

interface Outcome {
  status: string;
  terminal: { status: string } | null;
}

const COLORS: Record<string, string> = { QUEUED: "gray", RUNNING: "blue", COMPLETED: "teal", FAILED: "red" };

/** How an execution stands, in one word. */
export function OutcomeBadge({ status, terminal }: Outcome) {
  const word = terminal === null ? status.toLowerCase() : terminal.status.replaceAll("_", " ");
  const isSoft = terminal?.status === "canceled";
  return (
    <Badge color={isSoft ? "gray" : (COLORS[status] ?? "gray")} variant="light" tt="none" style={{ flexShrink: 0 }}>
      {word}
    </Badge>
  );
}
