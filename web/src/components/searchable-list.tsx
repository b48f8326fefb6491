import { Button, Center, TextInput } from "@mantine/core";
import { useDebouncedValue, useIntersection } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { Problem } from "./feedback.tsx";

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

/** What is looked for: in the field at once, in the address and in requests after a pause in the typing. */
export function useSearchText() {
  const [parameters, setParameters] = useSearchParams();
  const [typed, setTyped] = useState(parameters.get("text") ?? "");
  const [text] = useDebouncedValue(typed.trim().slice(0, MAX_LENGTH), PAUSE_MS);
  const inAddress = parameters.get("text") ?? "";
  useEffect(() => {
    if (text === inAddress) return;
    setParameters(text === "" ? {} : { text }, { replace: true });
  }, [text, inAddress, setParameters]);
  return { typed, setTyped, text };
}

interface MoreRowsProps {
  hasMore: boolean;
  isLoading: boolean;
  error: Error | null;
  onLoad: () => void;
}

/** At the end of a list: the next page is on its way before anybody gets here, and can be asked for by hand. */
export function MoreRows({ hasMore, isLoading, error, onLoad }: MoreRowsProps) {
  const { ref, entry } = useIntersection({ rootMargin: "600px" });
  const isNear = entry?.isIntersecting === true;
  const isWanted = hasMore && isNear && !isLoading && error === null;
  useEffect(() => {
    if (isWanted) onLoad();
  }, [isWanted, onLoad]);
  if (error !== null) return <Problem error={error} onRetry={onLoad} />;
  if (!hasMore) return null;
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={isLoading} onClick={onLoad}>
        Show more
      </Button>
    </Center>
  );
}
