import { Card, Text, Title } from "@mantine/core";
import type { ChangeMade } from "../timeline/change-made.ts";
import { Changes } from "../timeline/changes.tsx";

/** Everything that the run changed outside itself. */
export function ChangesCard({ changes }: { changes: readonly ChangeMade[] }) {
  return (
    <Card withBorder component="section" aria-labelledby="changes-title">
      <Title order={2} size="h4" id="changes-title" mb="sm">
        What was changed
      </Title>
      {changes.length === 0 ? <Text size="sm">Nothing was changed.</Text> : <Changes changes={changes} isCauseTold />}
    </Card>
  );
}
