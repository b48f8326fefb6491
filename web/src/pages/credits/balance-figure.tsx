import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../parts/panel.tsx";

interface BalanceFigureProps {
  balance: number;
  price: number;
  /** Beside the heading. */
  more?: ReactNode;
}

export function BalanceFigure({ balance, price, more }: BalanceFigureProps) {
  const count = Math.floor(balance / Math.max(1, price));
  return (
    <Panel title="Balance" more={more}>
      <Text fz={28} fw={600} lh={1.2}>
        {balance.toLocaleString("en")}
      </Text>
      <Text size="sm" c={count === 0 ? "red" : "dimmed"}>
        {count === 0 ? "Not enough for an execution" : `Enough for ${count.toLocaleString("en")} verified results`}
      </Text>
    </Panel>
  );
}
