import { Group, Text } from "@mantine/core";

export function Brand({ size = 24 }: { size?: number }) {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/assets/errand.svg" alt="" width={size} height={size} />
      <Text span fw={600} fz={size * 0.7} lh={1}>
        Errand
      </Text>
    </Group>
  );
}
