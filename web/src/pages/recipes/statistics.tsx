import { Text } from "@mantine/core";
import type { RecipeDay, RecipeStatistics } from "../../../../src/contract/console/recipes.ts";
import { Panel } from "../../components/page.tsx";
import { DayChart } from "./day-chart.tsx";
import { describeSuccess, formatCount, formatSeconds } from "./recipe-words.tsx";

interface StatisticsProps {
  title: string;
  statistics: Omit<RecipeStatistics, "last_run_at">;
  days: readonly RecipeDay[];
}

/** What recipes saved, how often they ran and how well, in total and by day. */
export function Statistics({ title, statistics, days }: StatisticsProps) {
  const { runs, replayed, healed, tokens_saved, seconds_saved } = statistics;
  return (
    <Panel title={title}>
      <div className="recipe-statistics">
        <dl className="recipe-figures">
          <Figure name="Tokens saved">{formatCount(tokens_saved)}</Figure>
          <Figure name="Time saved">{formatSeconds(seconds_saved)}</Figure>
          <Figure name="Success">{describeSuccess(statistics)}</Figure>
          <Figure name="Runs">{formatCount(runs)}</Figure>
          <Figure name="Without a model">{formatCount(replayed)}</Figure>
          <Figure name="Healed by a model">{formatCount(healed)}</Figure>
        </dl>
        <DayChart days={days} />
      </div>
    </Panel>
  );
}

function Figure({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} size="lg" fw={600} className="figures no-wrap">
        {children}
      </Text>
    </div>
  );
}
