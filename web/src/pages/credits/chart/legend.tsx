import { Group, Text } from "@mantine/core";
import type { Series } from "./series.ts";
import { Swatch } from "./swatch.tsx";

export function Legend({ series }: { series: Series[] }) {
  return (
    <Group component="ul" gap="md" className="plain-list" aria-label="Applications">
      {series.map(({ id, name, color }) => (
        <Group component="li" key={id} gap={6} wrap="nowrap" maw="100%">
          <Swatch color={color} />
          <Text size="xs" truncate>
            {name}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
