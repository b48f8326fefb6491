import { Card, Group, SegmentedControl, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Artifact } from "../../../../../src/contract/execution.ts";
import { provenanceQuery } from "../../../api/executions.ts";
import { DataJson } from "./data-json.tsx";
import { DataTable } from "./data-table.tsx";
import { PlacesContext, readPlaces } from "./places.ts";

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
