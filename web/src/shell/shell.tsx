import {
  ActionIcon,
  Anchor,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure, useMediaQuery, useWindowEvent } from "@mantine/hooks";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import type { Me } from "../../../src/contract/console/account.ts";
import { signOut, useMe } from "../api/account.ts";
import { Brand, Icon, type IconName } from "../components/icons.tsx";
import { NewErrandButton, NewErrandProvider } from "../pages/new-errand/new-errand.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { UnreachableNotice } from "./unreachable-notice.tsx";

interface ShellProps {
  /** Whether the setup page was shown before, which had the focus. */
  isArrival: boolean;
  children: ReactNode;
}

/** The frame around every page: header, menu and main area. */
export function Shell({ isArrival, children }: ShellProps) {
  const me = useMe();
  const [location] = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure();
  // On a phone the menu covers the page, so only one of them is reachable by keyboard.
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
    <NewErrandProvider>
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
                aria-label={isOpen ? "Close menu" : "Open menu"}
                aria-expanded={isOpen}
              />
              <Anchor component={Link} href="/" c="inherit" underline="never" aria-label="Errand home">
                <Brand />
              </Anchor>
            </Group>
            <Group gap="xs" wrap="nowrap">
              <NewErrandButton />
              {me.owner !== null && <Balance credits={me.owner.balance} price={me.execution_price} />}
              <ThemeButton />
              <AccountMenu email={me.person.email} />
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
            <UnreachableNotice />
            <ErrorBoundary location={location}>{children}</ErrorBoundary>
          </div>
        </AppShell.Main>
      </AppShell>
    </NewErrandProvider>
  );
}

interface Destination {
  path: string;
  label: string;
  icon: IconName;
  isFor(me: Me): boolean;
}

const isOwner = (me: Me) => me.owner !== null;
const isAnyone = () => true;

/** The menu, in order. */
const DESTINATIONS: readonly Destination[] = [
  { path: "/", label: "Home", icon: "home", isFor: isAnyone },
  { path: "/executions", label: "Errands", icon: "executions", isFor: isAnyone },
  { path: "/recipes", label: "Recipes", icon: "recipes", isFor: isOwner },
  { path: "/applications", label: "Applications", icon: "applications", isFor: isOwner },
  { path: "/connections", label: "Connected apps", icon: "connections", isFor: isAnyone },
  { path: "/credits", label: "Credits", icon: "credits", isFor: isOwner },
  { path: "/settings", label: "Settings", icon: "settings", isFor: isAnyone },
];

/** Whether the location is the destination or below it. */
function isAt(path: string, location: string): boolean {
  if (path === "/") return location === "/" || location === "";
  return location === path || location.startsWith(`${path}/`);
}

/** The first Tab stop: skips the menu. */
function SkipLink({ target }: { target: RefObject<HTMLElement | null> }) {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it jumps within the page, and the URL hash stays free
    <a
      href="#content"
      className="skip-link"
      onClick={(event) => {
        event.preventDefault();
        target.current?.focus();
      }}
    >
      Skip to content
    </a>
  );
}

/** Moves the focus to the page after navigation from the menu, and after setup. */
function useFocusOnArrival(main: RefObject<HTMLElement | null>, location: string, isArrival: boolean): void {
  const last = useRef(isArrival ? null : location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    const focused = document.activeElement;
    // A focus inside the page stays, such as on a tab that was just selected.
    const isFree = focused === null || focused === document.body || focused.closest("nav, header") !== null;
    if (!isFree) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [main, location]);
}

/** Warns when the balance is not enough for this many errands. */
const LOW_BALANCE_ERRANDS = 5;
/** Rounds down: never shows more than there is. */
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1, roundingMode: "floor" });

function Balance({ credits, price }: { credits: number; price: number }) {
  const isLow = credits < price * LOW_BALANCE_ERRANDS;
  const count = credits.toLocaleString("en");
  return (
    <Anchor
      component={Link}
      href="/credits"
      size="sm"
      c={isLow ? "red" : "dimmed"}
      aria-label={`${count} credits${isLow ? ", low balance" : ""}`}
      className="balance"
    >
      <Text span inherit hiddenFrom="xs">
        {credits < 10_000 ? count : compact.format(credits)}
      </Text>
      <Text span inherit visibleFrom="xs">
        {count} credits
      </Text>
    </Anchor>
  );
}

function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? "Switch to light theme" : "Switch to dark theme"}
      onClick={() => setColorScheme(isDark ? "light" : "dark")}
    >
      <Icon name={isDark ? "sun" : "moon"} />
    </ActionIcon>
  );
}

function AccountMenu({ email }: { email: string }) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account menu for ${email}`}>
          <Avatar size={34} color="teal" variant="filled" aria-hidden="true">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wrap-anywhere">{email}</Menu.Label>
        <Menu.Item component={Link} href="/settings">
          Settings
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
