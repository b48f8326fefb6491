import { Center, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** There is nothing here yet, and this is how something comes to be. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center py={64} px="md">
      <Stack gap="sm" align="center" maw={440}>
        <Title order={3} size="h4" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center" component="div">
          {children}
        </Text>
      </Stack>
    </Center>
  );
}
