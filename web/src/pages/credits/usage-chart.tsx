import "@mantine/charts/styles.css";
import { BarChart, ChartTooltip } from "@mantine/charts";
import { countOf } from "../../components/count.ts";
import { type Series, sum } from "./usage-series.ts";

const HEIGHT = 260;
const MAX_BAR_WIDTH = 44;
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

interface UsageChartProps {
  /** Such as "2026-03-11", oldest first. */
  days: string[];
  series: Series[];
  /** What is counted: "credit" or "errand". */
  noun: string;
}

/** Stacked bars, one per day. The arrow keys move between days, and the tooltip announces the values. */
export function UsageChart({ days, series, noun }: UsageChartProps) {
  const data = days.map((day, index) => ({
    day: shortDay.format(new Date(`${day}T00:00:00Z`)),
    ...Object.fromEntries(series.map(({ id, values }) => [id, values[index] ?? 0])),
  }));
  const chartSeries = series.map(({ id, name, color }) => ({ name: id, label: name, color }));
  return (
    <BarChart
      h={HEIGHT}
      data={data}
      dataKey="day"
      type="stacked"
      series={chartSeries}
      maxBarWidth={MAX_BAR_WIDTH}
      withLegend
      legendProps={{ verticalAlign: "bottom" }}
      valueFormatter={(value) => value.toLocaleString("en")}
      yAxisProps={{ allowDecimals: false, width: 44 }}
      barChartProps={{
        title: `Bar chart of ${noun}s per day. Use the arrow keys to move between days, or show the values as a table.`,
      }}
      tooltipProps={{
        content: ({ label, payload }) => (
          <div role="status">
            <ChartTooltip
              label={`${label}: ${countOf(sum(payload.map(({ value }) => Number(value))), noun)}`}
              payload={payload.filter(({ value }) => Number(value) > 0)}
              series={chartSeries}
              valueFormatter={(value) => value.toLocaleString("en")}
            />
          </div>
        ),
      }}
    />
  );
}
