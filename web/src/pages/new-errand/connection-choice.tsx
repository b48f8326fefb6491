import { NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ConsoleApplication, ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { newestConnectionsOfQuery } from "../../api/connections.ts";
import { recentExecutionsQuery } from "../../api/executions.ts";
import { cleanText } from "../../components/untrusted-text.tsx";

/** The connection that an errand runs on. */
export interface Runner {
  applicationId: string;
  connectionId: string;
  email: string;
}

interface Choice {
  /** Null until one can be chosen. */
  runner: Runner | null;
  homeUrl: string | null;
  /** Whether the application or the chosen person wants to be asked anyway. */
  isAskedAnyway: boolean;
  applications: readonly ConsoleApplication[];
  applicationId: string;
  setApplicationId: (id: string) => void;
  connections: readonly ConsoleConnection[];
  hasMore: boolean;
  text: string;
  setText: (text: string) => void;
}

const TYPING_PAUSE_MS = 250;

/** Begins with the connection of the newest errand. */
export function useConnectionChoice(chosen: Runner | null): Choice {
  const applications = (useQuery(applicationsQuery).data ?? []).filter(({ connections }) => connections > 0);
  const newest = useQuery(recentExecutionsQuery).data?.[0];
  const [picked, setPicked] = useState(chosen?.applicationId ?? null);
  const [text, setText] = useState("");
  const [searched] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const application =
    applications.find(({ id }) => id === picked) ??
    applications.find(({ id }) => id === newest?.application.id) ??
    applications[0];
  const applicationId = application?.id ?? "";
  const page = useQuery({
    ...newestConnectionsOfQuery(applicationId, searched),
    enabled: applicationId !== "",
  }).data;
  const connections = page?.connections ?? [];
  const runner = findRunner(chosen, applicationId, connections, newest?.connection.id);
  const connection = connections.find(({ id }) => id === runner?.connectionId);
  return {
    runner,
    isAskedAnyway: application?.approval === "commits" || connection?.approval === "commits",
    homeUrl: application?.home_url ?? null,
    applications,
    applicationId,
    setApplicationId(id) {
      setPicked(id);
      setText("");
    },
    connections,
    hasMore: page?.has_more === true || searched !== "",
    text,
    setText,
  };
}

function findRunner(
  chosen: Runner | null,
  applicationId: string,
  connections: readonly ConsoleConnection[],
  newestId: string | undefined,
): Runner | null {
  if (chosen !== null && chosen.applicationId === applicationId) return chosen;
  const usable = connections.filter(isUsable);
  const connection = usable.find(({ id }) => id === newestId) ?? usable[0];
  return connection === undefined ? null : toRunner(connection);
}

function isUsable({ state }: ConsoleConnection): boolean {
  return state === "ACTIVE";
}

function toRunner({ id, application, user }: ConsoleConnection): Runner {
  return { applicationId: application.id, connectionId: id, email: user.email };
}

interface ConnectionChoiceProps {
  choice: Choice;
  error: string | undefined;
  onChoose: (runner: Runner | null) => void;
}

/** For which application and as whom. People who must sign in again are listed, but cannot be chosen. */
export function ConnectionChoice({ choice, error, onChoose }: ConnectionChoiceProps) {
  const { runner, applications, applicationId, connections } = choice;
  const people = connections.map((connection) => ({
    value: connection.id,
    label: `${cleanText(connection.user.email)}${isUsable(connection) ? "" : " (must sign in again)"}`,
    disabled: !isUsable(connection),
  }));
  const isListed = runner === null || people.some(({ value }) => value === runner.connectionId);
  const chosen = isListed ? [] : [{ value: runner.connectionId, label: cleanText(runner.email) }];
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Application"
          data={applications.map(({ id, name }) => ({ value: id, label: cleanText(name) }))}
          value={applicationId}
          onChange={({ currentTarget: { value } }) => {
            choice.setApplicationId(value);
            onChoose(null);
          }}
        />
        <NativeSelect
          label="Run as"
          data={[...(runner === null ? [{ value: "", label: "Nobody available" }] : []), ...chosen, ...people]}
          value={runner?.connectionId ?? ""}
          error={error}
          onChange={({ currentTarget: { value } }) => {
            const connection = connections.find(({ id }) => id === value);
            if (connection !== undefined) onChoose(toRunner(connection));
          }}
        />
      </SimpleGrid>
      {choice.hasMore && (
        <TextInput
          type="search"
          label="Find a person by email address"
          maxLength={200}
          value={choice.text}
          onChange={(event) => choice.setText(event.currentTarget.value)}
        />
      )}
      {runner === null && connections.length > 0 && (
        <Text size="sm" c="dimmed">
          Everybody listed must sign in again through the authorization link of this application.
        </Text>
      )}
    </Stack>
  );
}
