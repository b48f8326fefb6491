import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";

/** Fewer than for so many executions is worth a warning. */
const FEW_EXECUTIONS = 5;
/** Never says more than there is. */
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1, roundingMode: "floor" });

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
      <Text span inherit hiddenFrom="xs">
        {credits < 10_000 ? count : short.format(credits)}
      </Text>
      <Text span inherit visibleFrom="xs">
        {count} credits
      </Text>
    </Anchor>
  );
}
