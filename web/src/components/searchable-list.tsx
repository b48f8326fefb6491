import { Button, Center, Group, TextInput } from "@mantine/core";
import { useDebouncedValue, useIntersection } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { ErrorAlert } from "./feedback.tsx";
import { Icon } from "./icons.tsx";
import { Empty } from "./page.tsx";

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maw={360}
      mb="md"
    />
  );
}

const PAUSE_MS = 250;
const MAX_LENGTH = 200;

/** The search text: in the field immediately, in the URL and in requests after a pause in typing. */
export function useSearchText() {
  const [parameters, setParameters] = useSearchParams();
  const [typed, setTyped] = useState(parameters.get("text") ?? "");
  const [text] = useDebouncedValue(typed.trim().slice(0, MAX_LENGTH), PAUSE_MS);
  const inUrl = parameters.get("text") ?? "";
  useEffect(() => {
    if (text === inUrl) return;
    setParameters(text === "" ? {} : { text }, { replace: true });
  }, [text, inUrl, setParameters]);
  return { typed, setTyped, text };
}

interface DelayedSearchProps {
  label: string;
  placeholder?: string;
  text: string;
  onChange: (text: string) => void;
}

/** A search that is applied after a pause in typing, not on every key. */
export function DelayedSearch({ label, placeholder = label, text, onChange }: DelayedSearchProps) {
  const [typed, setTyped] = useState(text);
  // The URL can change without typing, for example with the back button.
  useEffect(() => setTyped((typed) => (typed.trim() === text ? typed : text)), [text]);
  useEffect(() => {
    if (typed.trim() === text) return;
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      maxLength={MAX_LENGTH}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** A list that is empty because of its filters. `noun`: what it lists, in the singular. */
export function NoMatch({ noun, onClear }: { noun: string; onClear: () => void }) {
  return (
    <Empty title={`No matching ${noun}s`}>
      No {noun} matches these filters.
      <Group justify="center" mt="md">
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      </Group>
    </Empty>
  );
}

interface MoreRowsProps {
  hasMore: boolean;
  isLoading: boolean;
  error: Error | null;
  onLoad: () => void;
}

/** The end of a list. Loads the next page when scrolled near, or with the button. */
export function MoreRows({ hasMore, isLoading, error, onLoad }: MoreRowsProps) {
  const { ref, entry } = useIntersection({ rootMargin: "600px" });
  const isNear = entry?.isIntersecting === true;
  const shouldLoad = hasMore && isNear && !isLoading && error === null;
  useEffect(() => {
    if (shouldLoad) onLoad();
  }, [shouldLoad, onLoad]);
  if (error !== null) return <ErrorAlert error={error} onRetry={onLoad} />;
  if (!hasMore) return null;
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={isLoading} onClick={onLoad}>
        Show more
      </Button>
    </Center>
  );
}
