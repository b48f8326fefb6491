import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { cleanText, ForeignText } from "./foreign-text.tsx";

/** The heading of a page, which also names the browser's tab. */
export function PageTitle({ title, about, actions }: { title: string; about?: ReactNode; actions?: ReactNode }) {
  useEffect(() => {
    document.title = `${cleanText(title)} · Errand`;
  }, [title]);
  return (
    <Group justify="space-between" align="end" mb="lg" gap="md">
      <Stack gap={2} miw={0}>
        <Title order={1} size="h2" className="wrap-anywhere">
          <ForeignText>{title}</ForeignText>
        </Title>
        {about !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {about}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
