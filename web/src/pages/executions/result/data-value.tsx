import { UnstyledButton } from "@mantine/core";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { useView } from "../pictures/picture.ts";
import { usePlace } from "./places.ts";

/** One value; where it is known from where it came, a button that shows the place. */
export function DataValue({ value, pointer, isJson = false }: { value: unknown; pointer: string; isJson?: boolean }) {
  const place = usePlace(pointer);
  const view = useView();
  const text = isJson ? JSON.stringify(value) : tell(value);
  if (place === undefined) return <ForeignText>{text}</ForeignText>;
  return (
    <UnstyledButton className="data-value" title="Show where this stood" onClick={() => view({ kind: "place", place })}>
      <ForeignText>{text}</ForeignText>
    </UnstyledButton>
  );
}

function tell(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? String(value) : typeof value === "string" ? value : JSON.stringify(value);
}
