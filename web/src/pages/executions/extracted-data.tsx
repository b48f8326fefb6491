import { Box, Card, Group, SegmentedControl, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createContext, Fragment, type ReactNode, useContext, useMemo, useState } from "react";
import type { Artifact } from "../../../../src/contract/artifact.ts";
import { provenanceQuery } from "../../api/executions.ts";
import { CopyButton } from "../../components/copy.tsx";
import { Scrollable } from "../../components/page.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { DataTable, DataValue } from "./data-table.tsx";
import type { PictureBox, Place } from "./screenshot-viewer.tsx";
import { isRecord, readNumber, readRecords, readText } from "./trace.ts";

interface ExtractedDataProps {
  executionId: string;
  data: unknown;
  artifacts: readonly Artifact[];
}

/** The data that was asked for, each value with the place it came from. */
export function ExtractedData({ executionId, data, artifacts }: ExtractedDataProps) {
  const [form, setForm] = useState("table");
  const kept = artifacts.findLast(({ kind }) => kind === "provenance");
  const provenance = useQuery(provenanceQuery(executionId, kept?.id ?? null));
  const places = useMemo(() => readPlaces(provenance.data), [provenance.data]);
  return (
    <Card withBorder component="section" aria-labelledby="data-title">
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2} size="h4" id="data-title">
            Data
          </Title>
          {places.size > 0 && (
            <Text size="xs" c="dimmed">
              Press a value to see where it stood.
            </Text>
          )}
        </div>
        <SegmentedControl
          aria-label="Show the data as"
          size="xs"
          value={form}
          onChange={setForm}
          data={[
            { value: "table", label: "Table" },
            { value: "json", label: "JSON" },
          ]}
        />
      </Group>
      {provenance.error !== null && (
        <Text size="sm" c="dimmed" mb="sm">
          Where the values stood cannot be shown: {provenance.error.message}
        </Text>
      )}
      <PlacesContext value={places}>
        {form === "table" ? <DataTable value={data} pointer="" /> : <DataJson value={data} />}
      </PlacesContext>
    </Card>
  );
}

/** Beyond that it is one text: thousands of buttons are nothing that anybody presses. */
const MAX_LENGTH = 100_000;

/** Data as a program reads it. */
function DataJson({ value }: { value: unknown }) {
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
              <UntrustedText>{JSON.stringify(key)}</UntrustedText>
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

/** Where values of the data stood, by their JSON pointer. */
type Places = ReadonlyMap<string, Place>;

const PlacesContext = createContext<Places>(new Map());

export function usePlace(pointer: string): Place | undefined {
  return useContext(PlacesContext).get(pointer);
}

function readPlaces(provenance: unknown): Places {
  return new Map(
    readRecords(provenance)
      .map(readPlace)
      .map((place) => [place.pointer, place]),
  );
}

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function readPlace({ pointer, quote, url, screenshot, box }: Record<string, unknown>): Place {
  return {
    pointer: readText(pointer),
    quote: typeof quote === "string" ? quote : null,
    url: readText(url),
    screenshot: readText(screenshot) || null,
    box: readBox(box),
  };
}

function readBox(box: unknown): PictureBox | null {
  if (!isRecord(box)) return null;
  const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => readNumber(box[side]));
  if (x == null || y == null || width == null || height == null) return null;
  return { x, y, width, height };
}
