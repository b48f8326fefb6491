import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { Panel } from "../../parts/panel.tsx";

export function BalanceFigure({ balance, price }: { balance: number; price: number }) {
  const count = Math.floor(balance / Math.max(1, price));
  return (
    <Panel
      title="Balance"
      more={
        <Anchor component={Link} href="/credits" size="sm">
          Credits
        </Anchor>
      }
    >
      <Text fz={28} fw={600} lh={1.2}>
        {balance.toLocaleString("en")}
      </Text>
      <Text size="sm" c={count === 0 ? "red" : "dimmed"}>
        {count === 0 ? "Not enough for an execution" : `Enough for ${count.toLocaleString("en")} verified results`}
      </Text>
    </Panel>
  );
}
