import { Box } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { cleanText, ForeignText } from "../../../parts/foreign-text.tsx";
import { Scrollable } from "../../../parts/scrollable.tsx";
import { DataValue } from "./data-value.tsx";
import { pointerTo } from "./places.ts";

/** Beyond that it is one text: thousands of buttons are nothing that anybody presses. */
const MAX_LENGTH = 100_000;

/** Data as a program reads it. */
export function DataJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <Box pos="relative">
      <Scrollable label="JSON" className="data-json">
        {text.length > MAX_LENGTH ? cleanText(text) : <Json value={value} pointer="" indent="" />}
      </Scrollable>
      <Box pos="absolute" top={8} right={8}>
        <CopyButton value={text} />
      </Box>
    </Box>
  );
}

function Json({ value, pointer, indent }: { value: unknown; pointer: string; indent: string }) {
  if (typeof value !== "object" || value === null) return <DataValue value={value} pointer={pointer} isJson />;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return isList ? "[]" : "{}";
  const inner = `${indent}  `;
  const lines = entries.map(
    ([key, item], index): ReactNode => (
      <Fragment key={key}>
        {inner}
        {!isList && (
          <>
            <span className="json-key">
              <ForeignText>{JSON.stringify(key)}</ForeignText>
            </span>
            {": "}
          </>
        )}
        <Json value={item} pointer={pointerTo(pointer, key)} indent={inner} />
        {index < entries.length - 1 ? ",\n" : "\n"}
      </Fragment>
    ),
  );
  return (
    <>
      {isList ? "[\n" : "{\n"}
      {lines}
      {indent}
      {isList ? "]" : "}"}
    </>
  );
}
