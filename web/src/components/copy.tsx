import { Code as Block, Button, CopyButton as Copying, Group } from "@mantine/core";

export function CopyButton({ value, label = "Copy" }: { value: string; label?: string }) {
  return (
    <Copying value={value}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="light" color={copied ? "teal" : "gray"} onClick={copy}>
          {copied ? "Copied" : label}
        </Button>
      )}
    </Copying>
  );
}

/** A code block with a copy button. */
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
