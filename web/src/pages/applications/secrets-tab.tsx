import { Button, Card, Group, List, Modal, Stack, Text, Title } from "@mantine/core";
import { useRef, useState } from "react";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useEndOldSecret, useRotateSecret } from "../../api/applications.ts";
import { Confirm } from "../../components/feedback.tsx";
import { Empty } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { ClientSecretOnce } from "./secret-once.tsx";

export function SecretsTab({ application }: { application: ConsoleApplication }) {
  if (application.type === "public") {
    return (
      <Empty title="Public applications have no secret">
        They run where anyone could read it. PKCE protects their authorizations instead.
      </Empty>
    );
  }
  return (
    <Stack maw={680} gap="lg">
      <ValidSecrets application={application} />
      <Card withBorder component="section" aria-labelledby="rotate-secrets">
        <Title order={2} size="h5" mb="xs" id="rotate-secrets">
          Rotate the secret without downtime
        </Title>
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>Create a new secret. The current one keeps working: two secrets can be valid at a time.</List.Item>
          <List.Item>Deploy the new secret to each of your servers.</List.Item>
          <List.Item>Revoke the old secret. Servers that still use it are rejected from then on.</List.Item>
        </List>
      </Card>
    </Stack>
  );
}

function ValidSecrets({ application }: { application: ConsoleApplication }) {
  const { id, secrets_created_at: createdAt } = application;
  const rotation = useRotateSecret(id);
  const revocation = useEndOldSecret(id);
  const [dialog, setDialog] = useState<"create" | "revoke" | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hasTwo = createdAt.length > 1;
  const close = () => {
    rotation.reset();
    revocation.reset();
    setDialog(null);
    button.current?.focus();
  };
  return (
    <section aria-label="Valid secrets">
      <ul className="record-rows">
        {createdAt.map((at, index) => (
          <li key={at} className="record-row">
            <div className="record-main">
              <Text fw={600}>{index === 0 ? "Current secret" : "Old secret"}</Text>
              <Text size="sm" c="dimmed">
                Created <RelativeTime at={at} />
                {index > 0 && ", valid until you revoke it"}
              </Text>
            </div>
            {index > 0 && (
              <Button variant="default" size="xs" onClick={() => setDialog("revoke")}>
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Group mt="md">
        <Button ref={button} loading={rotation.isPending} onClick={() => setDialog("create")}>
          Create new secret
        </Button>
      </Group>
      <Confirm
        title="Create a new secret?"
        action="Create secret"
        color={hasTwo ? "red" : "teal"}
        isOpen={dialog === "create" && rotation.data === undefined}
        isBusy={rotation.isPending}
        error={rotation.error}
        onClose={close}
        onConfirm={() => rotation.mutate()}
      >
        {hasTwo
          ? "Two secrets are already valid, so the old one is revoked immediately. The current secret stays valid alongside the new one."
          : "The current secret stays valid until you revoke it. The new one is shown only once."}
      </Confirm>
      <Confirm
        title="Revoke the old secret?"
        action="Revoke secret"
        isOpen={dialog === "revoke"}
        isBusy={revocation.isPending}
        error={revocation.error}
        onClose={close}
        onConfirm={() => revocation.mutate(undefined, { onSuccess: close })}
      >
        Only the current secret stays valid. Servers that still use the old one can't get new tokens. Existing tokens
        keep working.
      </Confirm>
      {rotation.data !== undefined && <NewSecret secret={rotation.data} onDone={close} />}
    </section>
  );
}

function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isStored, setIsStored] = useState(false);
  return (
    <Modal
      opened
      onClose={onDone}
      title="New client secret"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      <ClientSecretOnce secret={secret} isStored={isStored} onStored={setIsStored} />
      <Group justify="end" mt="md">
        <Button disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Modal>
  );
}
