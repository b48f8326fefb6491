import { Anchor, AppShell, Burger, Group, NavLink, ScrollArea } from "@mantine/core";
import { useDisclosure, useMediaQuery, useWindowEvent } from "@mantine/hooks";
import { type ReactNode, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useMe } from "../api/me.ts";
import { AwayNotice } from "./away-notice.tsx";
import { Balance } from "./balance.tsx";
import { Brand } from "./brand.tsx";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import { Icon } from "./icon.tsx";
import { DESTINATIONS, isAt } from "./navigation.ts";
import { PageBoundary } from "./page-boundary.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { SkipLink } from "./skip-link.tsx";
import { useFocusOnArrival } from "./use-focus-on-arrival.ts";

interface ShellProps {
  /** Whether another page stood here before, and took the focus with it. */
  isArrival: boolean;
  children: ReactNode;
}

/** What stands around every page: where one is, where one can go, who one is. */
export function Shell({ isArrival, children }: ShellProps) {
  const me = useMe();
  const [location] = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  // Where the menu lies over the page, only one of the two is there for the keyboard.
  const isPhone = useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false });
  const main = useRef<HTMLElement>(null);
  useFocusOnArrival(main, location, isArrival);
  const burger = useRef<HTMLButtonElement>(null);
  useWindowEvent("keydown", ({ key }) => {
    if (key !== "Escape" || !isPhone || !isOpen) return;
    close();
    burger.current?.focus();
  });
  return (
    <>
      <SkipLink target={main} />
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
        padding={{ base: "md", md: "xl" }}
      >
        <AppShell.Header px="md">
          <Group h="100%" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Burger
                ref={burger}
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? "Close the menu" : "Open the menu"}
                aria-expanded={isOpen}
              />
              <Anchor component={Link} href="/" c="inherit" underline="never" aria-label="Errand, home">
                <Brand />
              </Anchor>
            </Group>
            <Group gap="xs" wrap="nowrap">
              {me.owner !== null && <Balance credits={me.owner.balance} price={me.execution_price} />}
              <ColorSchemeButton />
              <PersonMenu email={me.person.email} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" component="nav" aria-label="Console" inert={isPhone && !isOpen}>
          <AppShell.Section grow component={ScrollArea} type="auto">
            {DESTINATIONS.filter(({ isFor }) => isFor(me)).map(({ path, label, icon }) => (
              <NavLink
                key={path}
                component={Link}
                href={path}
                label={label}
                leftSection={<Icon name={icon} />}
                active={isAt(path, location)}
                {...(isAt(path, location) ? { "aria-current": "page" as const } : {})}
                onClick={close}
                mb={2}
                className="destination"
              />
            ))}
          </AppShell.Section>
          <AppShell.Section p="xs">
            <Anchor href="/docs" size="xs" c="dimmed">
              API reference
            </Anchor>
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main id="content" ref={main} tabIndex={-1} className="content" inert={isPhone && isOpen}>
          <div className="page">
            <AwayNotice />
            <PageBoundary location={location}>{children}</PageBoundary>
          </div>
        </AppShell.Main>
      </AppShell>
    </>
  );
}
