import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { useDeleteCredentials, useStoreCredentials } from "../../api/connections.ts";
import { Confirm, ErrorAlert } from "../../components/feedback.tsx";
import { RelativeTime } from "../../components/time.tsx";

/** Whether an expired sign-in renews itself, and how to change that. Nothing shows what is stored. */
export function StoredCredentials({ connection }: { connection: ConsoleConnection }) {
  const { renewal, application, signed_in_at } = connection;
  const mayStore = application.stored_credentials && signed_in_at !== null;
  if (renewal === null && !mayStore) return null;
  return (
    <Stack gap="xs" align="start" mt="xs">
      {renewal !== null && <RenewalState renewal={renewal} />}
      {renewal !== null && <DeleteCredentials connectionId={connection.id} />}
      {mayStore && <StoreCredentials connection={connection} />}
    </Stack>
  );
}

function RenewalState({ renewal }: { renewal: NonNullable<ConsoleConnection["renewal"]> }) {
  const { renewed_at, failed_at, failure } = renewal;
  if (failed_at !== null) {
    return (
      <Text size="sm">
        <strong>No longer renews itself.</strong> Signing in with the stored password failed{" "}
        <RelativeTime at={failed_at} />. {failure} It isn't tried again.
      </Text>
    );
  }
  return (
    <Text size="sm">
      <strong>Renews itself.</strong> Your password is stored, encrypted, and Errand signs in with it when the site has
      signed you out. {renewed_at === null ? "So far it wasn't needed." : "Last renewed "}
      {renewed_at !== null && (
        <>
          <RelativeTime at={renewed_at} />.
        </>
      )}
    </Text>
  );
}

function DeleteCredentials({ connectionId }: { connectionId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const deleting = useDeleteCredentials(connectionId);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsAsking(true)}>
        Delete password
      </Button>
      <Confirm
        title="Delete the stored password?"
        action="Delete"
        isOpen={isAsking}
        isBusy={deleting.isPending}
        error={deleting.error}
        onClose={() => setIsAsking(false)}
        onConfirm={() => deleting.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
      >
        <Text size="sm">
          User name, password and one-time code secret are deleted. Your saved sign-in stays. When it expires, you sign
          in yourself.
        </Text>
      </Confirm>
    </>
  );
}

const EMPTY = { user_name: "", password: "", totp_secret: "" };

function StoreCredentials({ connection }: { connection: ConsoleConnection }) {
  const [entry, setEntry] = useState(EMPTY);
  const storing = useStoreCredentials(connection.id);
  const change = (changed: Partial<typeof EMPTY>) => {
    storing.reset();
    setEntry({ ...entry, ...changed });
  };
  const code = storing.data?.code ?? null;
  return (
    <details className="disclosure">
      <summary>{connection.renewal === null ? "Let it renew itself" : "Store other credentials"}</summary>
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          storing.mutate(entry, { onSuccess: () => setEntry(EMPTY) });
        }}
      >
        <Stack gap="sm" align="stretch" mt="xs">
          <Text size="sm">
            Errand stores your password for the site, encrypted, and signs in with it when the site has signed you out.
            It is entered on the sites above and nowhere else. Nobody can read it here: no page, no app and no AI model.
            The people who run this server have the key. After one failure it isn't tried again.
          </Text>
          <TextInput
            label="User name or email address"
            required
            maxLength={500}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={entry.user_name}
            onChange={(event) => change({ user_name: event.currentTarget.value })}
          />
          <PasswordInput
            label="Password"
            required
            maxLength={500}
            autoComplete="off"
            value={entry.password}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
          <TextInput
            label="One-time code secret (optional)"
            description="Only if the site asks for a code of an authenticator app: the text beside the QR code when you set it up, or a link that begins with otpauth://."
            maxLength={1_000}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={entry.totp_secret}
            onChange={(event) => change({ totp_secret: event.currentTarget.value })}
          />
          {storing.error !== null && <ErrorAlert error={storing.error} />}
          <Text size="sm" role="status">
            {storing.isSuccess && "Stored. "}
            {code !== null && (
              <>
                Your authenticator app should show <strong>{code}</strong> now. If it shows another code, the secret is
                not right: store it again.
              </>
            )}
          </Text>
          <Group>
            <Button type="submit" size="xs" loading={storing.isPending}>
              Store
            </Button>
          </Group>
        </Stack>
      </form>
    </details>
  );
}
