import { Badge, Box, Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { KeyItem, NewKeyBody } from "../../../../src/contract/console/keys.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { keysQuery, useCreateKey, useRevokeKey } from "../../api/keys.ts";
import { Confirm, ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";
import { SecretOnce } from "../applications/secret-once.tsx";

/** Keys with which an owner's own programs manage applications over HTTP. */
export function KeysPanel() {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Panel title="API keys">
      <Text size="sm" c="dimmed" mb="sm">
        For your own programs: manage webhooks, list connections and read the balance over HTTP. A key can't create or
        read errands; that takes the token of a connection.
      </Text>
      {keys === undefined && error === null && <LoadingRows />}
      {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {keys !== undefined && keys.length > 0 && (
        <Stack component="ul" gap={0} className="plain-list ruled" mb="md">
          {keys.map((key) => (
            <KeyRow key={key.id} item={key} />
          ))}
        </Stack>
      )}
      {keys?.length === 0 && (
        <Text size="sm" mb="md">
          You have no API keys.
        </Text>
      )}
      <Group>
        <Button variant="light" onClick={() => setIsCreating(true)}>
          New API key
        </Button>
      </Group>
      <NewKey isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Panel>
  );
}

const SCOPES: Record<KeyItem["scope"], string> = { read: "Read", manage: "Manage" };

function KeyRow({ item }: { item: KeyItem }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const revoke = useRevokeKey();
  const name = cleanText(item.name);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" py="xs" gap="sm">
      <Box miw={0}>
        <Group gap="xs">
          <Text size="sm" fw={500} className="wrap-anywhere">
            {name}
          </Text>
          <Badge variant="light" tt="none" size="sm">
            {SCOPES[item.scope]}
          </Badge>
        </Group>
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {item.application === null ? "All applications" : cleanText(item.application.name)} · created{" "}
          <RelativeTime at={item.created_at} /> ·{" "}
          {item.last_used_at === null ? (
            "never used"
          ) : (
            <>
              last used <RelativeTime at={item.last_used_at} />
            </>
          )}
        </Text>
      </Box>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        flex="none"
        onClick={() => setIsConfirming(true)}
        aria-label={`Revoke ${name}`}
      >
        Revoke
      </Button>
      <Confirm
        title={`Revoke ${name}?`}
        action="Revoke key"
        isOpen={isConfirming}
        isBusy={revoke.isPending}
        error={revoke.error}
        onClose={() => setIsConfirming(false)}
        onConfirm={() => revoke.mutate(item.id, { onSuccess: () => setIsConfirming(false) })}
      >
        Programs that use it stop working at once. This can't be undone.
      </Confirm>
    </Group>
  );
}

/** Creates a key, then shows it until the user confirms that it is stored. */
function NewKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const creation = useCreateKey();
  const [isStored, setIsStored] = useState(false);
  const created = creation.data;

  function close() {
    creation.reset();
    setIsStored(false);
    onClose();
  }

  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={created === undefined ? "New API key" : "Save the API key"}
      closeButtonProps={{ "aria-label": "Close" }}
      // An accidental click outside would discard the form, or a key that can't be shown again.
      closeOnClickOutside={false}
      closeOnEscape={created === undefined}
      withCloseButton={created === undefined}
    >
      {created === undefined ? (
        <KeyForm
          isBusy={creation.isPending}
          error={creation.error}
          onSave={(body) => creation.mutate(body)}
          onCancel={close}
        />
      ) : (
        <Stack gap="lg">
          <SecretOnce name="API key" secret={created.secret} isStored={isStored} onStored={setIsStored}>
            Errand can't show this key again. Store it where your program keeps its secrets.
          </SecretOnce>
          <Group justify="end">
            <Button disabled={!isStored} onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

interface KeyFormProps {
  isBusy: boolean;
  error: Error | null;
  onSave: (body: NewKeyBody) => void;
  onCancel: () => void;
}

const ALL = "all";

function KeyForm({ isBusy, error, onSave, onCancel }: KeyFormProps) {
  const { data: applications = [] } = useQuery(applicationsQuery);
  const [name, setName] = useState("");
  const [scope, setScope] = useState<KeyItem["scope"]>("read");
  const [applicationId, setApplicationId] = useState(ALL);

  function submit(event: FormEvent) {
    event.preventDefault();
    onSave({ name, scope, application_id: applicationId === ALL ? null : applicationId });
  }

  return (
    <form onSubmit={submit} aria-label="New API key">
      <Stack>
        <TextInput
          label="Name"
          description="What uses it, so that you know it later."
          maxLength={100}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label="Applications"
          data={[
            { value: ALL, label: "All, also future ones" },
            ...applications.map(({ id, name: label }) => ({ value: id, label: cleanText(label) })),
          ]}
          value={applicationId}
          onChange={(value) => setApplicationId(value ?? ALL)}
          allowDeselect={false}
        />
        <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as KeyItem["scope"])}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="read"
              label={SCOPES.read}
              description="Lists webhooks, deliveries and connections, and the balance."
            />
            <Radio value="manage" label={SCOPES.manage} description="Also creates, changes and deletes webhooks." />
          </Stack>
        </Radio.Group>
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={name.trim() === ""}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
