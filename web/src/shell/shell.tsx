import { Anchor, AppShell, Burger, Group, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useMe } from "../api/me.ts";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import { Icon } from "./icon.tsx";
import { DESTINATIONS } from "./navigation.ts";
import { PersonMenu } from "./person-menu.tsx";

/** What stands around every page: where one is, where one can go, who one is. */
export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const [location] = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", md: "xl" }}
    >
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <Anchor
              component={Link}
              href="/"
              c="inherit"
              fw={600}
              underline="never"
              style={{ display: "flex", gap: 10 }}
            >
              <img src="/assets/errand.svg" alt="" width={24} height={24} />
              Errand
            </Anchor>
          </Group>
          <Group gap="xs" wrap="nowrap">
            {me.owner !== null && (
              <Anchor component={Link} href="/credits" size="sm" visibleFrom="xs">
                {me.owner.balance.toLocaleString("en")} credits
              </Anchor>
            )}
            <ColorSchemeButton />
            <PersonMenu email={me.person.email} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" component="nav" aria-label="Console">
        <AppShell.Section grow component={ScrollArea}>
          {DESTINATIONS.filter(({ isFor }) => isFor(me)).map(({ path, label, icon }) => (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={label}
              leftSection={<Icon name={icon} />}
              active={location.startsWith(path)}
              {...(location.startsWith(path) ? { "aria-current": "page" as const } : {})}
              onClick={close}
            />
          ))}
        </AppShell.Section>
        <AppShell.Section>
          <Text size="xs" c="dimmed" p="xs">
            <Anchor href="/docs" size="xs">
              API reference
            </Anchor>
          </Text>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">{children}</AppShell.Main>
    </AppShell>
  );
}
