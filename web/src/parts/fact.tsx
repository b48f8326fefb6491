import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** One line of a description list: what it is called, and what it is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="wrap-anywhere">
        {children}
      </Text>
    </div>
  );
}
