import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usageQuery } from "../../api/credits.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Panel } from "../../components/page.tsx";
import { Legend } from "./chart/legend.tsx";
import { type Measure, toSeries } from "./chart/series.ts";
import { SeriesTable } from "./chart/series-table.tsx";
import { StackedBars } from "./chart/stacked-bars.tsx";

const SPANS = [7, 30, 90];
const MEASURES: { value: Measure; label: string }[] = [
  { value: "credits", label: "Credits" },
  { value: "executions", label: "Executions" },
];

/** What was used, by application and day: as a chart, and as the same figures in a table. */
export function UsagePanel() {
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<Measure>("credits");
  const [isTable, setIsTable] = useState(false);
  const { data, error, refetch } = useQuery({ ...usageQuery(days), placeholderData: keepPreviousData });
  const series = data === undefined ? [] : toSeries(data, measure);
  const total = series.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0);
  return (
    <Panel
      title="Usage"
      more={
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label="What is counted"
            data={MEASURES}
            value={measure}
            onChange={(value) => setMeasure(value as Measure)}
          />
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={SPANS.map((span) => ({ value: String(span), label: `${span} days` }))}
            value={String(days)}
            onChange={(value) => setDays(Number(value))}
          />
        </Group>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {data === undefined && error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data !== undefined && series.length === 0 && (
        <Empty title="Nothing was used">No execution of yours falls into the last {data.days.length} days.</Empty>
      )}
      {data !== undefined && series.length > 0 && (
        <Stack gap="sm">
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed">
              {describeTotal(total, measure)} in {data.days.length} days (UTC)
            </Text>
            <Button size="compact-xs" variant="subtle" onClick={() => setIsTable(!isTable)} aria-pressed={isTable}>
              {isTable ? "Show as chart" : "Show as table"}
            </Button>
          </Group>
          {isTable ? (
            <SeriesTable days={data.days} series={series} caption={`${measure} by application and day`} />
          ) : (
            <>
              <StackedBars days={data.days} series={series} unit={measure} />
              <Legend series={series} />
            </>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function describeTotal(total: number, measure: Measure): string {
  const [one, many, verb] =
    measure === "credits" ? ["credit", "credits", "paid"] : ["execution", "executions", "begun"];
  return `${total.toLocaleString("en")} ${total === 1 ? one : many} ${verb}`;
}
