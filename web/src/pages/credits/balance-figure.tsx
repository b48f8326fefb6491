import { Text } from "@mantine/core";
import type { ReactNode } from "react";
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
        {count === 0 ? tellShortage(isOperator) : `Enough for ${count.toLocaleString("en")} verified results`}
      </Text>
    </Panel>
  );
}

function tellShortage(isOperator: boolean): string {
  const way = isOperator
    ? "Grant yourself some on the credits page."
    : "Ask whoever runs this installation to grant you some.";
  return `Not enough for an execution. ${way}`;
}
