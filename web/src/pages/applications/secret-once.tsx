import { Alert, Checkbox, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Code } from "../../components/copy.tsx";

interface SecretOnceProps {
  name: string;
  /** What becomes of it here, and where it belongs. */
  children: ReactNode;
  secret: string;
  isKept: boolean;
  onKept: (isKept: boolean) => void;
}

/** Of an application. */
export function ClientSecretOnce(props: Omit<SecretOnceProps, "name" | "children">) {
  return (
    <SecretOnce name="Client secret" {...props}>
      Errand keeps no copy that could be shown again. Put it where your server reads its secrets, and nowhere else.
    </SecretOnce>
  );
}

/** A secret, the only time that anybody sees it. */
export function SecretOnce({ name, children, secret, isKept, onKept }: SecretOnceProps) {
  return (
    <Stack>
      <Alert color="yellow" title="This is the only time you see it">
        {children}
      </Alert>
      <div className="code-wraps">
        <Text size="sm" fw={500} mb={6}>
          {name}
        </Text>
        <Code>{secret}</Code>
      </div>
      <Checkbox label="I have stored it" checked={isKept} onChange={(event) => onKept(event.currentTarget.checked)} />
    </Stack>
  );
}
