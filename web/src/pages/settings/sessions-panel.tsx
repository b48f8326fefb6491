import { Badge, Box, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SessionItem } from "../../../../src/contract/console/account.ts";
import { sessionsQuery, signOutEverywhere, useEndOtherSessions, useEndSession } from "../../api/account.ts";
import { Confirm, ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";

/** The browsers where the user is signed in. */
export function SessionsPanel() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const endOthers = useEndOtherSessions();
  const endAll = useMutation({ mutationFn: signOutEverywhere });
  const [isConfirming, setIsConfirming] = useState(false);
  const sessions = data?.sessions ?? [];
  const shown = [...sessions].sort((one, other) => Number(other.is_current) - Number(one.is_current));
  return (
    <Panel title="Sessions">
      {data === undefined && error === null && <LoadingRows />}
      {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {endOthers.error !== null && <ErrorAlert error={endOthers.error} />}
      <Stack component="ul" gap={0} className="plain-list ruled" mb="md">
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Stack>
      <Group>
        <Button
          variant="default"
          size="sm"
          disabled={sessions.length < 2}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          Sign out other sessions
        </Button>
        <Button variant="light" color="red" size="sm" onClick={() => setIsConfirming(true)}>
          Sign out everywhere
        </Button>
      </Group>
      <Confirm
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isOpen={isConfirming}
        isBusy={endAll.isPending}
        error={endAll.error}
        onClose={() => setIsConfirming(false)}
        onConfirm={() => endAll.mutate()}
      >
        You'll need to sign in again in every browser, including this one. Connections and their tokens aren't affected.
      </Confirm>
    </Panel>
  );
}

function SessionRow({ session }: { session: SessionItem }) {
  const end = useEndSession();
  const browser = describeBrowser(session.user_agent);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" py="xs" gap="sm">
      <Box miw={0}>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap-anywhere" title={session.user_agent ?? undefined}>
            {browser}
          </Text>
          {session.is_current && (
            <Badge variant="light" tt="none" size="sm">
              This session
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {session.ip_address !== null && `${session.ip_address} · `}Signed in <RelativeTime at={session.created_at} />{" "}
          · last used <RelativeTime at={session.last_used_at} />
        </Text>
        {end.error !== null && (
          <Text size="xs" c="red" role="alert">
            {end.error.message}
          </Text>
        )}
      </Box>
      {!session.is_current && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          flex="none"
          loading={end.isPending}
          onClick={() => end.mutate(session.id)}
          aria-label={`Sign out ${browser}`}
        >
          Sign out
        </Button>
      )}
    </Group>
  );
}

/** The most specific first: nearly every browser also claims to be Chrome and Safari. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\bChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Such as "Firefox on Linux". */
function describeBrowser(userAgent: string | null): string {
  const text = userAgent ?? "";
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined) return text === "" ? "Unknown browser" : text.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}
