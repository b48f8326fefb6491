import { Group, Paper, Text } from "@mantine/core";
import { formatDay } from "./describe-day.ts";
import { type Series, sum } from "./series.ts";
import { Swatch } from "./swatch.tsx";

interface BarTipProps {
  day: string;
  index: number;
  series: Series[];
  /** The middle of the bar, in a chart of this width. */
  x: number;
  width: number;
}

const TIP_WIDTH = 220;

/** The figures of the bar that is pointed at or focused; the bar itself says them to a screen reader. */
export function BarTip({ day, index, series, x, width }: BarTipProps) {
  const parts = series.filter(({ values }) => (values[index] ?? 0) > 0);
  const isLeft = x > width / 2;
  return (
    <Paper
      withBorder
      shadow="md"
      p="xs"
      w={TIP_WIDTH}
      className="chart-tip"
      aria-hidden="true"
      style={{ left: isLeft ? Math.max(0, x - TIP_WIDTH - 16) : Math.min(width - TIP_WIDTH, x + 16) }}
    >
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text size="xs" fw={600}>
          {formatDay(day)}
        </Text>
        <Text size="xs" fw={600} className="figures">
          {sum(parts.map(({ values }) => values[index] ?? 0)).toLocaleString("en")}
        </Text>
      </Group>
      {parts.map(({ id, name, color, values }) => (
        <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
          <Group gap={6} wrap="nowrap" miw={0}>
            <Swatch color={color} />
            <Text size="xs" truncate>
              {name}
            </Text>
          </Group>
          <Text size="xs" className="figures">
            {(values[index] ?? 0).toLocaleString("en")}
          </Text>
        </Group>
      ))}
    </Paper>
  );
}
