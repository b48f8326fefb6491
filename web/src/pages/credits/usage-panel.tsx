import { Button, Group, SegmentedControl, Skeleton, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { usageQuery } from "../../api/credits.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Panel } from "../../components/page.tsx";
import { lazyPage } from "../../shell/lazy-page.ts";
import { type Measure, type Series, sum, toSeries } from "./usage-series.ts";

/** Large, so it is loaded only where it is shown. */
const UsageChart = lazyPage(async () => (await import("./usage-chart.tsx")).UsageChart);

const SPANS = [7, 30, 90];
const MEASURES: { value: Measure; label: string }[] = [
  { value: "credits", label: "Credits" },
  { value: "executions", label: "Errands" },
];
const NOUNS: Record<Measure, string> = { credits: "credit", executions: "errand" };

/** Usage by application and day, as a chart or a table. */
export function UsagePanel() {
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<Measure>("credits");
  const [isTable, setIsTable] = useState(false);
  const { data, error, refetch } = useQuery({ ...usageQuery(days), placeholderData: keepPreviousData });
  const series = data === undefined ? [] : toSeries(data, measure);
  const total = sum(series.flatMap(({ values }) => values));
  const noun = NOUNS[measure];
  return (
    <Panel
      title="Usage"
      more={
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label="Measure"
            data={MEASURES}
            value={measure}
            onChange={(value) => setMeasure(value as Measure)}
          />
          <SegmentedControl
            size="xs"
            aria-label="Period"
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
        <Empty title="No usage yet">There were no errands in the last {data.days.length} days.</Empty>
      )}
      {data !== undefined && series.length > 0 && (
        <Stack gap="sm">
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed">
              {countOf(total, noun)} in {data.days.length} days (UTC)
            </Text>
            <Button size="compact-xs" variant="subtle" onClick={() => setIsTable(!isTable)} aria-pressed={isTable}>
              {isTable ? "Show as chart" : "Show as table"}
            </Button>
          </Group>
          {isTable ? (
            <SeriesTable
              days={data.days}
              series={series}
              caption={measure === "credits" ? "Credits by application and day" : "Errands by application and day"}
            />
          ) : (
            <Suspense fallback={<Skeleton height={260} />}>
              <UsageChart days={data.days} series={series} noun={noun} />
            </Suspense>
          )}
        </Stack>
      )}
    </Panel>
  );
}

interface SeriesTableProps {
  days: string[];
  series: Series[];
  caption: string;
}

/** The values of the chart, newest day first. Days without usage are left out. */
function SeriesTable({ days, series, caption }: SeriesTableProps) {
  const used = days
    .map((day, index) => ({ day, index }))
    .filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) > 0));
  return (
    <Table.ScrollContainer
      minWidth={120 + series.length * 110}
      maxHeight={300}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <Table verticalSpacing={6} stickyHeader>
        <caption className="visually-hidden">{caption}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {series.map(({ id, name }) => (
              <Table.Th key={id} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {used.reverse().map(({ day, index }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={400}>
                {day}
              </Table.Th>
              {series.map(({ id, values }) => (
                <Table.Td key={id} ta="right" className="figures">
                  {(values[index] ?? 0).toLocaleString("en")}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
