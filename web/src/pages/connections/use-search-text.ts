import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";

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
