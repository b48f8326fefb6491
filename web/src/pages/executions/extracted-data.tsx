import { Box, Button, Card, Group, SegmentedControl, Stack, Table, Text, Title, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createContext, Fragment, type ReactNode, useContext, useMemo, useState } from "react";
import type { Artifact } from "../../../../src/contract/execution.ts";
import { provenanceQuery } from "../../api/executions.ts";
import { CopyButton } from "../../components/copy.tsx";
import { Scrollable } from "../../components/page.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { type Place, useView } from "./screenshot-viewer.tsx";
import { isRecord, readNumber, readRecords, readText } from "./trace.ts";
import type { PictureBox } from "./zoomable-screenshot.tsx";

interface ExtractedDataProps {
  executionId: string;
  data: unknown;
  artifacts: readonly Artifact[];
}

/** The requested data. Each value links to the place on the page where it was found. */
export function ExtractedData({ executionId, data, artifacts }: ExtractedDataProps) {
  const [format, setFormat] = useState("table");
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
              Select a value to see where it was found.
            </Text>
          )}
        </div>
        <SegmentedControl
          aria-label="Data format"
          size="xs"
          value={format}
          onChange={setFormat}
          data={[
            { value: "table", label: "Table" },
            { value: "json", label: "JSON" },
          ]}
        />
      </Group>
      {provenance.error !== null && (
        <Text size="sm" c="dimmed" mb="sm">
          Can't show where the values were found: {provenance.error.message}
        </Text>
      )}
      <PlacesContext value={places}>
        {format === "table" ? <DataTable value={data} pointer="" /> : <DataJson value={data} />}
      </PlacesContext>
    </Card>
  );
}

const ROWS_AT_FIRST = 100;
const MAX_COLUMNS = 40;
/** Deeper nesting is shown as JSON text. */
const MAX_DEPTH = 3;

interface DataProps {
  value: unknown;
  pointer: string;
  depth?: number;
}

/** Lists become tables, objects become names and values. */
function DataTable({ value, pointer, depth = 0 }: DataProps) {
  if (depth <= MAX_DEPTH && Array.isArray(value) && value.length > 0) {
    return <Rows rows={value} pointer={pointer} depth={depth} />;
  }
  if (depth <= MAX_DEPTH && isRecord(value) && Object.keys(value).length > 0) {
    return <Entries record={value} pointer={pointer} depth={depth} />;
  }
  return <DataValue value={value} pointer={pointer} />;
}

function Rows({ rows, pointer, depth }: { rows: readonly unknown[]; pointer: string; depth: number }) {
  const [isWhole, setIsWhole] = useState(false);
  const columns = rows.every(isRecord) ? columnsOf(rows) : null;
  const shown = isWhole ? rows : rows.slice(0, ROWS_AT_FIRST);
  return (
    <Stack gap="xs" align="start">
      <Table.ScrollContainer minWidth={0} w="100%" type="native">
        <Table withTableBorder verticalSpacing={6} className="data-table">
          {columns !== null && (
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column} scope="col" ta={isNumeric(rows, column) ? "end" : "start"}>
                    <UntrustedText>{column}</UntrustedText>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
          )}
          <Table.Tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes
              <Table.Tr key={index}>
                {(columns ?? [null]).map((column) => (
                  <Cell
                    key={column ?? ""}
                    row={row}
                    column={column}
                    pointer={pointerTo(pointer, index)}
                    depth={depth}
                  />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown.length < rows.length && (
        <Button variant="default" size="xs" onClick={() => setIsWhole(true)}>
          Show all {rows.length.toLocaleString("en")} rows
        </Button>
      )}
    </Stack>
  );
}

interface CellProps {
  row: unknown;
  /** Null if the row itself is the value. */
  column: string | null;
  pointer: string;
  depth: number;
}

function Cell({ row, column, pointer, depth }: CellProps) {
  const value = column === null || !isRecord(row) ? row : row[column];
  return (
    <Table.Td ta={typeof value === "number" ? "end" : "start"}>
      <DataTable value={value} pointer={column === null ? pointer : pointerTo(pointer, column)} depth={depth + 1} />
    </Table.Td>
  );
}

function Entries({ record, pointer, depth }: { record: Record<string, unknown>; pointer: string; depth: number }) {
  return (
    <dl className="data-entries">
      {Object.entries(record).map(([name, value]) => (
        <div key={name} data-nested={typeof value === "object" && value !== null ? true : undefined}>
          <Text component="dt" size="sm" c="dimmed">
            <UntrustedText>{name}</UntrustedText>
          </Text>
          <dd>
            <DataTable value={value} pointer={pointerTo(pointer, name)} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function columnsOf(rows: readonly Record<string, unknown>[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
}

function isNumeric(rows: readonly unknown[], column: string): boolean {
  return rows.every((row) => isRecord(row) && (typeof row[column] === "number" || row[column] == null));
}

/** One value. If its origin is known, it is a button that shows the place on the page. */
function DataValue({ value, pointer, isJson = false }: { value: unknown; pointer: string; isJson?: boolean }) {
  const place = usePlace(pointer);
  const view = useView();
  const text = isJson ? JSON.stringify(value) : formatValue(value);
  if (place === undefined) return <UntrustedText>{text}</UntrustedText>;
  return (
    <UnstyledButton
      className="data-value"
      title="Show where this was found"
      onClick={() => view({ kind: "place", place })}
    >
      <UntrustedText>{text}</UntrustedText>
    </UnstyledButton>
  );
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? String(value) : typeof value === "string" ? value : JSON.stringify(value);
}

/** Longer JSON is plain text: thousands of buttons would slow the page down. */
const MAX_LENGTH = 100_000;

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

/** Where each value was found, by JSON pointer. */
type Places = ReadonlyMap<string, Place>;

const PlacesContext = createContext<Places>(new Map());

function usePlace(pointer: string): Place | undefined {
  return useContext(PlacesContext).get(pointer);
}

function readPlaces(provenance: unknown): Places {
  return new Map(
    readRecords(provenance)
      .map(readPlace)
      .map((place) => [place.pointer, place]),
  );
}

function pointerTo(parent: string, key: string | number): string {
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
