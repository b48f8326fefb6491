import { Card, Center, Group, Stack, Text, Title } from "@mantine/core";
import { type HTMLAttributes, type ReactNode, type Ref, useEffect, useId } from "react";
import { cleanText, UntrustedText } from "./untrusted-text.tsx";

/** The heading of a page, which also names the browser's tab. */
export function PageTitle({ title, about, actions }: { title: string; about?: ReactNode; actions?: ReactNode }) {
  useEffect(() => {
    document.title = `${cleanText(title)} · Errand`;
  }, [title]);
  return (
    <Group justify="space-between" align="end" mb="lg" gap="md">
      <Stack gap={2} miw={0}>
        <Title order={1} size="h2" className="wrap-anywhere">
          <UntrustedText>{title}</UntrustedText>
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

/** One line of a description list: what it is called, and what it is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="wrap-anywhere">
        {children}
      </Text>
    </div>
  );
}

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

interface ScrollableProps extends HTMLAttributes<HTMLElement> {
  label: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
}

/** What has scroll bars of its own, reachable by keyboard as well. */
export function Scrollable({ label, children, ...others }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard cannot scroll
    <section tabIndex={0} aria-label={label} {...others}>
      {children}
    </section>
  );
}
