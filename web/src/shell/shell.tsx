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
import { ErrorBoundary } from "./error-boundary.tsx";
import { UnreachableNotice } from "./unreachable-notice.tsx";

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
    </>
  );
}

interface Destination {
  path: string;
  label: string;
  icon: IconName;
  isFor(me: Me): boolean;
}

const isOwner = (me: Me) => me.owner !== null;
const isAnybody = () => true;

/** Where one can go, in the order of the menu. */
const DESTINATIONS: readonly Destination[] = [
  { path: "/", label: "Home", icon: "home", isFor: isAnybody },
  { path: "/executions", label: "Executions", icon: "executions", isFor: isAnybody },
  { path: "/applications", label: "Applications", icon: "applications", isFor: isOwner },
  { path: "/connections", label: "What may act for me", icon: "connections", isFor: isAnybody },
  { path: "/credits", label: "Credits", icon: "credits", isFor: isOwner },
  { path: "/settings", label: "Settings", icon: "settings", isFor: isAnybody },
];

/** Whether a destination is where one is, or somewhere below it. */
function isAt(path: string, location: string): boolean {
  if (path === "/") return location === "/" || location === "";
  return location === path || location.startsWith(`${path}/`);
}

/** The first thing the tab key meets: past the menu, to the page. */
function SkipLink({ target }: { target: RefObject<HTMLElement | null> }) {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page; the address has a meaning of its own
    <a
      href="#content"
      className="skip-link"
      onClick={(event) => {
        event.preventDefault();
        target.current?.focus();
      }}
    >
      Skip to the page
    </a>
  );
}

/** Whoever goes to another page by the menu, or comes from a form before it, goes on reading there. */
function useFocusOnArrival(main: RefObject<HTMLElement | null>, location: string, isArrival: boolean): void {
  const last = useRef(isArrival ? null : location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    const focused = document.activeElement;
    // Within a page the focus is somebody's own, such as a tab they have just pressed.
    const isFree = focused === null || focused === document.body || focused.closest("nav, header") !== null;
    if (!isFree) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [main, location]);
}

/** Fewer than for so many executions is worth a warning. */
const FEW_EXECUTIONS = 5;
/** Never says more than there is. */
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1, roundingMode: "floor" });

function Balance({ credits, price }: { credits: number; price: number }) {
  const isLow = credits < price * FEW_EXECUTIONS;
  const count = credits.toLocaleString("en");
  return (
    <Anchor
      component={Link}
      href="/credits"
      size="sm"
      c={isLow ? "red" : "dimmed"}
      aria-label={`${count} credits${isLow ? ", which is little" : ""}`}
      className="balance"
    >
      <Text span inherit hiddenFrom="xs">
        {credits < 10_000 ? count : short.format(credits)}
      </Text>
      <Text span inherit visibleFrom="xs">
        {count} credits
      </Text>
    </Anchor>
  );
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? "Use light colours" : "Use dark colours"}
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
        <UnstyledButton aria-label={`Account of ${email}`}>
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
