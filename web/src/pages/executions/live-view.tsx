import { Anchor, Card, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { liveLinkQuery } from "../../api/executions.ts";

/** The browser of a running errand, as applications can embed it. */
export function LiveView({ executionId }: { executionId: string }) {
  const { data } = useQuery(liveLinkQuery(executionId));
  if (data === undefined) return null;
  // By its path: the console may be open under another name of this machine.
  const path = new URL(data.url).pathname;
  return (
    <section aria-label="Live view">
      <Card withBorder padding={0} className="live-view">
        <iframe src={path} title="The errand's browser, live" className="live-frame" />
      </Card>
      <Text size="xs" c="dimmed" mt={6}>
        {data.may_take_over ? "You can take over the browser and hand it back. " : "Only the user can take over. "}
        <Anchor href={path} target="_blank" rel="noopener" inherit underline="always">
          Open it in a tab of its own
        </Anchor>
      </Text>
    </section>
  );
}
