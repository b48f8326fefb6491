import { NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { newestConnectionsOfQuery } from "../../api/connections.ts";
import { cleanText } from "../../components/untrusted-text.tsx";

const TYPING_PAUSE_MS = 250;

interface UserSelectProps {
  label: string;
  applicationId: string;
  /** What it means to choose nobody. */
  nobody: string;
  /** The id of a connection, or "". */
  value: string;
  /** Whether only people are offered for whom errands can run. */
  mustRun?: boolean;
  onChange: (connectionId: string) => void;
}

/** One of the people connected to an application. With many of them there is a search. */
export function UserSelect({ label, applicationId, nobody, value, mustRun = false, onChange }: UserSelectProps) {
  const [text, setText] = useState("");
  const [searched] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const { data } = useQuery({
    ...newestConnectionsOfQuery(applicationId, searched),
    enabled: applicationId !== "",
  });
  const people = (data?.connections ?? []).map(({ id, user, state }) => {
    const isDisabled = mustRun && state !== "ACTIVE";
    return {
      value: id,
      label: `${cleanText(user.email)}${isDisabled ? " (must sign in again)" : ""}`,
      disabled: isDisabled,
    };
  });
  const isListed = value === "" || people.some((person) => person.value === value);
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        data={[
          { value: "", label: nobody },
          ...(isListed ? [] : [{ value, label: `ID ${value.slice(0, 8)}…` }]),
          ...people,
        ]}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {(data?.has_more === true || searched !== "") && (
        <TextInput
          type="search"
          label="Find a person by email address"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
    </Stack>
  );
}
