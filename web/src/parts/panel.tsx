import { Card, Group, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

/** A part of a page with a heading of its own. */
export function Panel({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {more}
      </Group>
      {children}
    </Card>
  );
}
