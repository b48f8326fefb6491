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
  const [isConfirming, setIsConfirming] = useState(false);
  const deletion = useDeleteApplication(application.id);
  const name = application.name.trim();
  const shownName = cleanText(name);

  function leave() {
    navigate("/applications");
    notifications.show({ message: `${shownName} deleted.` });
  }

  return (
    <Card withBorder component="section" aria-label="Delete this application" maw={680}>
      <Stack align="start">
        <Title order={2} size="h4">
          Delete this application
        </Title>
        <Text size="sm" component="div">
          This permanently deletes:
          <List size="sm" mt="xs" spacing={4}>
            <List.Item>
              All connections, with their tokens and saved sign-ins. Queued and running errands stop.
            </List.Item>
            <List.Item>Every errand with its steps, results and screenshots.</List.Item>
            <List.Item>The client ID and secrets. Your program loses access immediately.</List.Item>
          </List>
        </Text>
        <Text size="sm" c="dimmed">
          Your credits and transactions are kept.
        </Text>
        <Button color="red" onClick={() => setIsConfirming(true)}>
          Delete application
        </Button>
      </Stack>
      <Confirm
        title="Delete this application?"
        action="Delete permanently"
        typed={toTypable(shownName)}
        isOpen={isConfirming}
        isBusy={deletion.isPending}
        error={deletion.error}
        onClose={() => setIsConfirming(false)}
        onConfirm={() => deletion.mutate(name, { onSuccess: leave })}
      >
        <UntrustedText>{name}</UntrustedText> will be deleted with all its errands
        {application.connections > 0 && ` and ${countOf(application.connections, "connection")}`}. This can't be undone.
      </Confirm>
    </Card>
  );
}

/** Without U+FFFD, which cleanText puts in and no keyboard can type. */
function toTypable(name: string): string {
  return name.replaceAll("\ufffd", "").trim() || "delete";
}
