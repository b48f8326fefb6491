import { Button, Card, Group, List, Modal, Stack, Text, Title } from "@mantine/core";
import { useRef, useState } from "react";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useEndOldSecret, useRotateSecret } from "../../api/applications.ts";
import { Confirm } from "../../components/feedback.tsx";
import { Empty } from "../../components/page.tsx";
import { Moment } from "../../components/time.tsx";
import { ClientSecretOnce } from "./secret-once.tsx";

export function SecretsTab({ application }: { application: ConsoleApplication }) {
  if (application.type === "public") {
    return (
      <Empty title="A public application has no secret">
        It runs where everybody could read one. PKCE takes its place: each authorization proves itself with a value of
        its own.
      </Empty>
    );
  }
  return (
    <Stack maw={680} gap="lg">
      <LiveSecrets application={application} />
      <Card withBorder component="section" aria-label="How to change the secret without an outage">
        <Title order={2} size="h5" mb="xs">
          Changing it without an outage
        </Title>
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>
            Make a new secret. The one you use now goes on working beside it: two can be valid at a time.
          </List.Item>
          <List.Item>Give the new one to each of your servers, one after the other.</List.Item>
          <List.Item>End the old one. Whoever still uses it is refused from then on.</List.Item>
        </List>
      </Card>
    </Stack>
  );
}

function LiveSecrets({ application }: { application: ConsoleApplication }) {
  const { id, secrets_created_at: madeAt } = application;
  const rotation = useRotateSecret(id);
  const ending = useEndOldSecret(id);
  const [asks, setAsks] = useState<"new" | "end" | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hasTwo = madeAt.length > 1;
  const close = () => {
    rotation.reset();
    ending.reset();
    setAsks(null);
    button.current?.focus();
  };
  return (
    <section aria-label="Valid secrets">
      <ul className="record-rows">
        {madeAt.map((at, index) => (
          <li key={at} className="record-row">
            <div className="record-main">
              <Text fw={600}>{index === 0 ? "Newest secret" : "Old secret"}</Text>
              <Text size="sm" c="dimmed">
                Made <Moment at={at} />
                {index > 0 && ", and valid until you end it"}
              </Text>
            </div>
            {index > 0 && (
              <Button variant="default" size="xs" onClick={() => setAsks("end")}>
                End it
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Group mt="md">
        <Button ref={button} loading={rotation.isPending} onClick={() => setAsks("new")}>
          Make a new secret
        </Button>
      </Group>
      <Confirm
        title="Make a new secret?"
        action="Make it"
        color={hasTwo ? "red" : "teal"}
        isOpen={asks === "new" && rotation.data === undefined}
        isBusy={rotation.isPending}
        error={rotation.error}
        onClose={close}
        onConfirm={() => rotation.mutate()}
      >
        {hasTwo
          ? "Two secrets are valid already, and there can be no third: the old one ends at once. The newest stays valid beside the one that is made now."
          : "The secret you use now stays valid beside it until you end it. You see the new one once."}
      </Confirm>
      <Confirm
        title="End the old secret?"
        action="End it"
        isOpen={asks === "end"}
        isBusy={ending.isPending}
        error={ending.error}
        onClose={close}
        onConfirm={() => ending.mutate(undefined, { onSuccess: close })}
      >
        From now on only the newest secret is valid. A server that still uses the old one gets no more tokens; tokens
        that it has go on working.
      </Confirm>
      {rotation.data !== undefined && <NewSecret secret={rotation.data} onDone={close} />}
    </section>
  );
}

function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isKept, setIsKept] = useState(false);
  return (
    <Modal
      opened
      onClose={onDone}
      title="The new secret"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      <ClientSecretOnce secret={secret} isKept={isKept} onKept={setIsKept} />
      <Group justify="end" mt="md">
        <Button disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Modal>
  );
}
