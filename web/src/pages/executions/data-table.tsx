import { Button, Stack, Table, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { pointerTo, usePlace } from "./extracted-data.tsx";
import { useView } from "./screenshot-viewer.tsx";
import { isRecord } from "./trace.ts";

const ROWS_AT_FIRST = 100;
const MAX_COLUMNS = 40;
/** Deeper than that a table in a table helps nobody. */
const MAX_DEPTH = 3;

interface DataProps {
  value: unknown;
  pointer: string;
  depth?: number;
}

/** Data as a person reads it: lists as tables, things as names and values. */
export function DataTable({ value, pointer, depth = 0 }: DataProps) {
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
  /** Null: the row is the value. */
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

/** One value; where it is known from where it came, a button that shows the place. */
export function DataValue({ value, pointer, isJson = false }: { value: unknown; pointer: string; isJson?: boolean }) {
  const place = usePlace(pointer);
  const view = useView();
  const text = isJson ? JSON.stringify(value) : tell(value);
  if (place === undefined) return <UntrustedText>{text}</UntrustedText>;
  return (
    <UnstyledButton className="data-value" title="Show where this stood" onClick={() => view({ kind: "place", place })}>
      <UntrustedText>{text}</UntrustedText>
    </UnstyledButton>
  );
}

function tell(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? String(value) : typeof value === "string" ? value : JSON.stringify(value);
}
