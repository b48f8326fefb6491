import { Code as Block, Group } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

/** Something to be copied as it stands. */
export function Code({ children }: { children: string }) {
  return (
    <Group gap={0} wrap="nowrap" align="start" className="code">
      <Block block tabIndex={0} className="code-text">
        {children}
      </Block>
      <CopyButton value={children} />
    </Group>
  );
}
