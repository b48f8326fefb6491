import { ActionIcon, Button, Menu, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { type ConnectionActionId, useConnectionAction } from "../../api/connections.ts";
import { Confirm } from "../../components/feedback.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";

interface ActionsProps {
  connection: ConsoleConnection;
  voice: Voice;
}

/** The menu of a connection. Each action says what it does and what it leaves, and asks for confirmation. */
export function ConnectionActions({ connection, voice }: ActionsProps) {
  const [chosen, setChosen] = useState<ConnectionActionId | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const subject = cleanText(voice === "owner" ? connection.user.email : connection.application.name);
  const close = () => {
    setChosen(null);
    // The menu item that had the focus is gone.
    button.current?.focus();
  };
  return (
    <>
      <Menu position="bottom-end" width={320} withinPortal>
        <Menu.Target>
          {voice === "owner" ? (
            <ActionIcon ref={button} variant="subtle" color="gray" size="lg" aria-label={`Actions for ${subject}`}>
              <Dots />
            </ActionIcon>
          ) : (
            <Button ref={button} variant="default" size="xs" className="keeps-width" aria-label={`Manage ${subject}`}>
              Manage
            </Button>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/executions?connection_id=${connection.id}`}>
            View errands
          </Menu.Item>
          <Menu.Divider />
          {ACTIONS.filter(({ isAvailable }) => isAvailable(connection)).map(({ id, label, describe }) => (
            <Menu.Item
              key={id}
              aria-label={label}
              aria-describedby={`${connection.id}-${id}`}
              {...(id === "delete" ? { color: "red" } : {})}
              onClick={() => setChosen(id)}
            >
              {label}
              <Text size="xs" c="dimmed" className="wrap-anywhere" id={`${connection.id}-${id}`}>
                {describe(connection)[voice].effect}
              </Text>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {chosen !== null && <Confirmation connection={connection} voice={voice} action={chosen} onClose={close} />}
    </>
  );
}

interface ConfirmationProps extends ActionsProps {
  action: ConnectionActionId;
  onClose: () => void;
}

function Confirmation({ connection, voice, action, onClose }: ConfirmationProps) {
  const mutation = useConnectionAction(connection.id);
  // Fixed when the dialog opens: the refetched connection may already be in another state.
  const [{ label, wording }] = useState(() => {
    const found = ACTIONS.find(({ id }) => id === action);
    return { label: found?.label ?? "", wording: found?.describe(connection)[voice] };
  });
  const isRunning = connection.last_execution?.status === "RUNNING";
  if (wording === undefined) return null;
  return (
    <Confirm
      title={`${label}?`}
      action={label}
      isOpen
      isBusy={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() =>
        mutation.mutate(action, {
          onSuccess() {
            onClose();
            notifications.show({ message: wording.done });
          },
        })
      }
    >
      <Stack gap="xs" className="wrap-anywhere">
        <Text size="sm">{wording.effect}</Text>
        <Text size="sm">{wording.leaves}</Text>
        {isRunning && <Text size="sm">An errand is running. Afterwards, check on the site what it already did.</Text>}
      </Stack>
    </Confirm>
  );
}

function Dots() {
  return (
    <svg width={18} height={18} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" focusable="false">
      <circle cx="5" cy="12" r="1.8" />
      <circle cx="12" cy="12" r="1.8" />
      <circle cx="19" cy="12" r="1.8" />
    </svg>
  );
}

/** Who reads the text: the application's owner, or the user the application acts for. */
export type Voice = "owner" | "user";

interface Wording {
  /** What it does, in one sentence. */
  effect: string;
  /** What it leaves. */
  leaves: string;
  done: string;
}

interface ConnectionAction {
  id: ConnectionActionId;
  label: string;
  isAvailable(connection: ConsoleConnection): boolean;
  describe(connection: ConsoleConnection): Record<Voice, Wording>;
}

/** From the mildest to the most drastic. Each does everything that the one before it does. */
const ACTIONS: readonly ConnectionAction[] = [
  {
    id: "stop",
    label: "Stop now",
    isAvailable: ({ state, last_execution }) =>
      state === "ACTIVE" || last_execution?.status === "RUNNING" || last_execution?.status === "QUEUED",
    describe: ({ user, application }) => ({
      owner: {
        effect: `Stops every errand of ${cleanText(user.email)} and starts none until they authorize again.`,
        leaves: "The token, the saved sign-in and the history stay.",
        done: "Stopped. Nothing runs until they authorize again.",
      },
      user: {
        effect: `Stops what ${cleanText(application.name)} is doing for you, and it starts nothing until you reconnect it.`,
        leaves: "Your saved sign-in and your history stay.",
        done: "Stopped. Nothing runs until you reconnect.",
      },
    }),
  },
  {
    id: "disconnect",
    label: "Disconnect",
    isAvailable: ({ state, has_token, signed_in_at }) => state === "ACTIVE" || has_token || signed_in_at !== null,
    describe: ({ user, application }) => ({
      owner: {
        effect: `Stops every errand, revokes the token and deletes the saved sign-in and any stored password of ${cleanText(user.email)}.`,
        leaves: "The history stays. They can connect again with the authorization link.",
        done: "Disconnected. The history is kept.",
      },
      user: {
        effect: `Stops every errand, takes away the access of ${cleanText(application.name)} and deletes your saved sign-in and any stored password.`,
        leaves: "The history stays. Your account on the site isn't affected, and you can connect again.",
        done: "Disconnected. Your saved sign-in is deleted.",
      },
    }),
  },
  {
    id: "delete",
    label: "Delete history",
    isAvailable: () => true,
    describe: ({ user, application }) => ({
      owner: {
        effect: `Disconnects ${cleanText(user.email)} and deletes every errand with its results and screenshots.`,
        leaves: "Only your credits and transactions stay. What was done on the site stays done. This can't be undone.",
        done: "Disconnected, and the history is deleted.",
      },
      user: {
        effect: `Disconnects ${cleanText(application.name)} and deletes every errand with its results and screenshots.`,
        leaves: "Nothing of it stays in Errand. What was done on the site stays done. This can't be undone.",
        done: "Disconnected, and your history is deleted.",
      },
    }),
  },
];
