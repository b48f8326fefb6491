import { Button, Group, SegmentedControl, Table, Text } from "@mantine/core";
import { useId, useState } from "react";
import type { RecipeDay } from "../../../../src/contract/console/recipes.ts";
import { countOf } from "../../components/count.ts";
import { formatCount, formatSeconds } from "./recipe-words.tsx";

type Measure = "tokens" | "time" | "runs";
type Counted = "tokens_saved" | "seconds_saved" | "replayed" | "healed" | "failed";

interface MeasureWords {
  label: string;
  /** What the whole chart shows. */
  caption: string;
  /** Stacked, from the bottom up. */
  series: readonly { field: Counted; label: string }[];
  format(value: number): string;
}

const MEASURES: Record<Measure, MeasureWords> = {
  tokens: {
    label: "Tokens",
    caption: "Tokens saved per day",
    series: [{ field: "tokens_saved", label: "Tokens saved" }],
    format: formatCount,
  },
  time: {
    label: "Time",
    caption: "Time saved per day",
    series: [{ field: "seconds_saved", label: "Time saved" }],
    format: formatSeconds,
  },
  runs: {
    label: "Runs",
    caption: "Runs per day",
    series: [
      { field: "replayed", label: "Without a model" },
      { field: "healed", label: "Healed" },
      { field: "failed", label: "Failed" },
    ],
    format: formatCount,
  },
};

/** What recipes saved, day by day: as bars, or as a table. */
export function DayChart({ days }: { days: readonly RecipeDay[] }) {
  const [chosen, setMeasure] = useState<Measure | null>(null);
  const measure = chosen ?? findMeasure(days);
  const [isTable, setIsTable] = useState(false);
  const words = MEASURES[measure];
  const shown = fillDays(days, Date.now());
  return (
    <figure className="day-chart">
      <Group justify="space-between" gap="xs">
        <Text component="figcaption" size="sm" c="dimmed">
          {words.caption}, last {shown.length} days (UTC)
        </Text>
        <Group gap="xs">
          <Button size="compact-xs" variant="subtle" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? "Show as chart" : "Show as table"}
          </Button>
          <SegmentedControl
            size="xs"
            aria-label="Measure"
            data={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
            value={measure}
            onChange={(value) => setMeasure(value as Measure)}
          />
        </Group>
      </Group>
      <div className="day-chart-body">
        {isTable ? <DayTable days={days} words={words} /> : <Bars days={shown} words={words} />}
      </div>
    </figure>
  );
}

/** The first that has something to show. Errands that needed no model before save no tokens. */
function findMeasure(days: readonly RecipeDay[]): Measure {
  const order: Measure[] = ["tokens", "time", "runs"];
  return order.find((measure) => days.some((day) => totalOf(day, MEASURES[measure]) > 0)) ?? "tokens";
}

const DAY_MS = 86_400_000;
const SHORT_SPAN = 30;
const LONG_SPAN = 90;
const NO_RUNS = { runs: 0, replayed: 0, healed: 0, failed: 0, tokens_saved: 0, seconds_saved: 0 };

/** Every day up to today: the last 30, or 90 if something happened before. */
function fillDays(days: readonly RecipeDay[], nowMs: number): RecipeDay[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const nameOf = (ago: number) => new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10);
  const isOld = days.some(({ day }) => day <= nameOf(SHORT_SPAN));
  const span = isOld ? LONG_SPAN : SHORT_SPAN;
  return Array.from({ length: span }, (_, index) => {
    const day = nameOf(span - 1 - index);
    return byDay.get(day) ?? { day, ...NO_RUNS };
  });
}

const CHART_HEIGHT = 100;
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function Bars({ days, words }: { days: readonly RecipeDay[]; words: MeasureWords }) {
  const id = useId();
  const totals = days.map((day) => totalOf(day, words));
  const max = Math.max(0, ...totals);
  const best = days[totals.indexOf(max)];
  const sum = totals.reduce((one, other) => one + other, 0);
  const description =
    max === 0 || best === undefined
      ? `${words.caption}: none in these ${countOf(days.length, "day")}.`
      : `${words.caption}: ${words.format(sum)} in ${countOf(days.length, "day")}, most on ${nameDay(best.day)} with ${words.format(max)}.`;
  return (
    <>
      <div className="day-chart-plot">
        <Text span size="xs" c="dimmed" className="day-chart-max">
          {max === 0 ? "None yet" : words.format(max)}
        </Text>
        {words.series.length > 1 && (
          <Group gap="xs" className="day-chart-keys" aria-hidden="true">
            {words.series.map(({ field, label }) => (
              <span key={field} className="day-chart-key" data-series={field}>
                {label}
              </span>
            ))}
          </Group>
        )}
        <svg
          viewBox={`0 0 ${days.length} ${CHART_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={id}
          className="day-chart-bars"
        >
          <title id={id}>{description}</title>
          {days.map((day, index) => (
            <Bar key={day.day} day={day} index={index} max={max} words={words} />
          ))}
        </svg>
      </div>
      <Group justify="space-between" className="day-chart-days" aria-hidden="true">
        <span>{nameDay(days[0]?.day ?? "")}</span>
        <span>{nameDay(days.at(-1)?.day ?? "")}</span>
      </Group>
    </>
  );
}

interface BarProps {
  day: RecipeDay;
  index: number;
  max: number;
  words: MeasureWords;
}

/** One day. Also empty days have a tooltip. */
function Bar({ day, index, max, words }: BarProps) {
  const values = words.series.map(({ field, label }) => ({ field, label, value: Math.max(0, day[field]) }));
  let top = CHART_HEIGHT;
  const parts = values.map(({ field, value }) => {
    const height = max === 0 ? 0 : (value / max) * CHART_HEIGHT;
    top -= height;
    return { field, top, height };
  });
  const said = values.map(({ label, value }) => `${label}: ${words.format(value)}`).join(", ");
  return (
    <g className="day-bar">
      <title>{`${nameDay(day.day)}: ${said}`}</title>
      <rect x={index} y={0} width={1} height={CHART_HEIGHT} className="day-bar-ground" />
      {parts.map(({ field, top, height }) => (
        <rect key={field} x={index + 0.12} y={top} width={0.76} height={height} data-series={field} />
      ))}
    </g>
  );
}

/** The values of the chart, newest day first. */
function DayTable({ days, words }: { days: readonly RecipeDay[]; words: MeasureWords }) {
  const used = days.filter((day) => totalOf(day, words) > 0).toReversed();
  if (used.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="md">
        None in the last {LONG_SPAN} days.
      </Text>
    );
  }
  return (
    <Table.ScrollContainer
      minWidth={240}
      maxHeight={150}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={words.caption}
    >
      <Table verticalSpacing={4} stickyHeader>
        <caption className="visually-hidden">{words.caption}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {words.series.map(({ field, label }) => (
              <Table.Th key={field} scope="col" ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {used.map((day) => (
            <Table.Tr key={day.day}>
              <Table.Th scope="row" fw={400}>
                {day.day}
              </Table.Th>
              {words.series.map(({ field }) => (
                <Table.Td key={field} ta="right" className="figures">
                  {words.format(day[field])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function totalOf(day: RecipeDay, { series }: MeasureWords): number {
  return series.reduce((total, { field }) => total + Math.max(0, day[field]), 0);
}

function nameDay(day: string): string {
  return shortDay.format(new Date(`${day}T00:00:00Z`));
}
