import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { countOf } from "../../components/count.ts";
import { Panel } from "../../components/page.tsx";

interface BalanceFigureProps {
  balance: number;
  price: number;
  isOperator: boolean;
  /** Beside the heading. */
  more?: ReactNode;
}

export function BalanceFigure({ balance, price, isOperator, more }: BalanceFigureProps) {
  const count = Math.floor(balance / Math.max(1, price));
  return (
    <Panel title="Balance" more={more}>
      <Text fz={28} fw={600} lh={1.2}>
        {balance.toLocaleString("en")}
      </Text>
      <Text size="sm" c={count === 0 ? "red" : "dimmed"}>
        {count === 0 ? describeShortage(isOperator) : `Enough for ${countOf(count, "verified result")}`}
      </Text>
    </Panel>
  );
}

function describeShortage(isOperator: boolean): string {
  const nextStep = isOperator
    ? "Grant yourself more on the Credits page."
    : "Ask the owner of this installation for more.";
  return `Not enough for an errand. ${nextStep}`;
}
