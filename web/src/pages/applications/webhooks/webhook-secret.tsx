import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Code } from "../../../parts/code.tsx";
import { SecretOnce } from "../secret-once.tsx";
import { VERIFY_SAMPLE } from "./verify-sample.ts";

/** What messages are signed with, the only time that it is shown, and how a receiver uses it. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack gap="lg">
      <SecretOnce name="Signing secret" secret={secret} isKept={isKept} onKept={setIsKept}>
        Put it where your receiver reads its secrets, and nowhere else. Whoever has it can sign in the name of Errand.
      </SecretOnce>
      <details className="disclosure form-more" open>
        <summary>How a receiver verifies messages, in Node.js</summary>
        <Text size="sm" c="dimmed" my="xs">
          The signatures follow Standard Webhooks: there are libraries for most languages.
        </Text>
        <Code>{VERIFY_SAMPLE}</Code>
      </details>
      <Group justify="end" className="form-end">
        <Button disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
