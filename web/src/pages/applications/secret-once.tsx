import { Alert, Checkbox, Stack, Text } from "@mantine/core";
import { Code } from "../../parts/code.tsx";

interface SecretOnceProps {
  secret: string;
  isKept: boolean;
  onKept: (isKept: boolean) => void;
}

/** A client secret, the only time that anybody sees it. */
export function SecretOnce({ secret, isKept, onKept }: SecretOnceProps) {
  return (
    <Stack>
      <Alert color="yellow" title="This is the only time you see it">
        Errand keeps no copy that could be shown again. Put it where your server reads its secrets, and nowhere else.
      </Alert>
      <div>
        <Text size="sm" fw={500} mb={6}>
          Client secret
        </Text>
        <Code>{secret}</Code>
      </div>
      <Checkbox label="I have stored it" checked={isKept} onChange={(event) => onKept(event.currentTarget.checked)} />
    </Stack>
  );
}
