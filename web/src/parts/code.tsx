import { Code as Block, Box } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

/** Something to be copied as it stands. */
export function Code({ children }: { children: string }) {
  return (
    <Box pos="relative">
      <Block block pr={80} tabIndex={0}>
        {children}
      </Block>
      <Box pos="absolute" top={6} right={6}>
        <CopyButton value={children} />
      </Box>
    </Box>
  );
}
