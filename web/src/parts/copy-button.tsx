import { Button, CopyButton as Copying } from "@mantine/core";

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
