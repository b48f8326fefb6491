import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";

/** Fewer than for so many executions is worth a warning. */
const FEW_EXECUTIONS = 5;

export function Balance({ credits, price }: { credits: number; price: number }) {
  const isLow = credits < price * FEW_EXECUTIONS;
  const count = credits.toLocaleString("en");
  return (
    <Anchor
      component={Link}
      href="/credits"
      size="sm"
      c={isLow ? "red" : "dimmed"}
      aria-label={`${count} credits${isLow ? ", which is little" : ""}`}
      className="balance"
    >
      {count}
      <Text span inherit visibleFrom="xs">
        {" "}
        credits
      </Text>
    </Anchor>
  );
}
