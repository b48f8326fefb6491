import { Card, Center, Group, Stack, Text, Title } from "@mantine/core";
import { type HTMLAttributes, type ReactNode, type Ref, useEffect, useId } from "react";
import { cleanText, UntrustedText } from "./untrusted-text.tsx";

/** The page heading, which also sets the browser tab's title. */
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

/** A titled section. */
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

/** One entry of a description list. */
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

/** An empty state: what is missing and what to do next. */
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

/** A scrollable area that can also be scrolled by keyboard. */
export function Scrollable({ label, children, ...others }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard cannot scroll
    <section tabIndex={0} aria-label={label} {...others}>
      {children}
    </section>
  );
}
