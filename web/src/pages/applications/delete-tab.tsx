import { Button, Card, List, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useDeleteApplication } from "../../api/applications.ts";
import { countOf } from "../../components/count.ts";
import { Confirm } from "../../components/feedback.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";

export function DeleteTab({ application }: { application: ConsoleApplication }) {
  const [, navigate] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  const deletion = useDeleteApplication(application.id);
  const name = application.name.trim();
  const shownName = cleanText(name);

  function leave() {
    navigate("/applications");
    notifications.show({ message: `${shownName} is deleted.` });
  }

  return (
    <Card withBorder component="section" aria-label="Delete the application" maw={680}>
      <Stack align="start">
        <Title order={2} size="h4">
          Delete this application
        </Title>
        <Text size="sm" component="div">
          At once, and for good:
          <List size="sm" mt="xs" spacing={4}>
            <List.Item>
              {countOf(application.connections, "connection")}, with tokens and saved sign-ins. What waits or runs for
              them ends.
            </List.Item>
            <List.Item>Every execution with its steps, results and screenshots.</List.Item>
            <List.Item>Its client id and secrets: your program is refused from then on.</List.Item>
          </List>
        </Text>
        <Text size="sm" c="dimmed">
          Your credits and the ledger stay as they are.
        </Text>
        <Button color="red" onClick={() => setIsAsking(true)}>
          Delete the application
        </Button>
      </Stack>
      <Confirm
        title="Delete the application?"
        action="Delete it for good"
        typed={toTypable(shownName)}
        isOpen={isAsking}
        isBusy={deletion.isPending}
        error={deletion.error}
        onClose={() => setIsAsking(false)}
        onConfirm={() => deletion.mutate(name, { onSuccess: leave })}
      >
        <UntrustedText>{name}</UntrustedText> goes with {countOf(application.connections, "connection")} and everything
        they have done. Nobody can bring it back.
      </Confirm>
    </Card>
  );
}

/** No keyboard has the sign that stands for what was taken out of a name. */
function toTypable(name: string): string {
  return name.replaceAll("\ufffd", "").trim() || "delete";
}
