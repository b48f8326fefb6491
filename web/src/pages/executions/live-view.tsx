import { Card } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { liveLinkQuery } from "../../api/executions.ts";

/** The browser of a running errand, as applications can embed it. */
export function LiveView({ executionId }: { executionId: string }) {
  const { data } = useQuery(liveLinkQuery(executionId));
  if (data === undefined) return null;
  // By its path: the console may be open under another name of this machine.
  return (
    <Card withBorder padding={0} component="section" aria-label="Live view" className="live-view">
      <iframe src={new URL(data.url).pathname} title="The errand's browser, live" className="live-frame" />
    </Card>
  );
}
