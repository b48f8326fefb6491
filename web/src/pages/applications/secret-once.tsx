import { Alert, Checkbox, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Code } from "../../components/copy.tsx";

interface SecretOnceProps {
  name: string;
  /** Where to store it. */
  children: ReactNode;
  secret: string;
  isStored: boolean;
  onStored: (isStored: boolean) => void;
}

export function ClientSecretOnce(props: Omit<SecretOnceProps, "name" | "children">) {
  return (
    <SecretOnce name="Client secret" {...props}>
      Errand can't show this secret again. Store it where your server keeps its secrets.
    </SecretOnce>
  );
}

/** Shows a secret that can't be shown again. */
export function SecretOnce({ name, children, secret, isStored, onStored }: SecretOnceProps) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        {children}
      </Alert>
      <div className="code-wraps">
        <Text size="sm" fw={500} mb={6}>
          {name}
        </Text>
        <Code>{secret}</Code>
      </div>
      <Checkbox
        label="I've stored this secret"
        checked={isStored}
        onChange={(event) => onStored(event.currentTarget.checked)}
      />
    </Stack>
  );
}
