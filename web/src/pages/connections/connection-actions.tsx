import { ActionIcon, Button, List, Menu } from "@mantine/core";
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

/** The menu of a connection. Each action asks for confirmation and lists its consequences. */
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
      <Menu position="bottom-end" width={230} withinPortal>
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
          {ACTIONS.filter(({ isAvailable }) => isAvailable(connection)).map(({ id, describe }) => (
            <Menu.Item key={id} {...(id === "delete" ? { color: "red" } : {})} onClick={() => setChosen(id)}>
              {describe(connection)[voice].label}
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
  const [wording] = useState(() => ACTIONS.find(({ id }) => id === action)?.describe(connection)[voice]);
  if (wording === undefined) return null;
  return (
    <Confirm
      title={wording.question}
      action={wording.confirm}
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
      <List size="sm" spacing={6} className="wrap-anywhere">
        {wording.consequences.map((consequence) => (
          <List.Item key={consequence}>{consequence}</List.Item>
        ))}
      </List>
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
  label: string;
  question: string;
  /** One sentence per consequence. */
  consequences: readonly string[];
  confirm: string;
  done: string;
}

interface ConnectionAction {
  id: ConnectionActionId;
  isAvailable(connection: ConsoleConnection): boolean;
  describe(connection: ConsoleConnection): Record<Voice, Wording>;
}

/** From the mildest to the most drastic. */
const ACTIONS: readonly ConnectionAction[] = [
  {
    id: "require-sign-in",
    isAvailable: ({ state }) => state === "ACTIVE",
    describe: ({ user, application }) => ({
      owner: {
        label: "Require reauthorization",
        question: "Require reauthorization?",
        consequences: [
          `New errands for ${cleanText(user.email)} won't run until they complete the authorization link again.`,
          "Queued errands are canceled and not charged. An errand that is already running continues.",
          "The token, the saved sign-in and the history are kept.",
        ],
        confirm: "Require reauthorization",
        done: "Errands are paused until they authorize again.",
      },
      user: {
        label: "Pause access",
        question: "Pause access?",
        consequences: [
          `${cleanText(application.name)} can't start new errands for you until you reconnect it.`,
          "An errand that is already running continues. Queued errands are canceled.",
          "Your saved sign-in and your history are kept.",
        ],
        confirm: "Pause access",
        done: "Access is paused until you reconnect.",
      },
    }),
  },
  {
    id: "delete-token",
    isAvailable: ({ has_token }) => has_token,
    describe: ({ user, application }) => ({
      owner: {
        label: "Revoke token",
        question: "Revoke the token?",
        consequences: [
          `Your application's token for ${cleanText(user.email)} stops working immediately. It can no longer create or read errands.`,
          "Queued and running errands continue.",
          "To get a new token, send the user through the authorization link. The connection and its history stay the same.",
        ],
        confirm: "Revoke token",
        done: "Token revoked.",
      },
      user: {
        label: "Revoke access",
        question: "Revoke access?",
        consequences: [
          `${cleanText(application.name)} immediately loses access to your results, and can't start errands until you reconnect it.`,
          "An errand that is already running continues. Queued errands are canceled.",
          "If you reconnect, it continues where it left off.",
        ],
        confirm: "Revoke access",
        done: "Access revoked. Nothing runs until you reconnect.",
      },
    }),
  },
  {
    id: "delete-sign-in",
    isAvailable: ({ signed_in_at }) => signed_in_at !== null,
    describe: ({ user }) => ({
      owner: {
        label: "Delete saved sign-in",
        question: "Delete the saved sign-in?",
        consequences: [
          `Errand deletes the saved sign-in of ${cleanText(user.email)}. This can't be undone.`,
          "Queued errands are canceled, and running errands are stopped.",
          "They need to use the authorization link and sign in to the site again. The history is kept.",
        ],
        confirm: "Delete sign-in",
        done: "Saved sign-in deleted.",
      },
      user: {
        label: "Delete my saved sign-in",
        question: "Delete your saved sign-in?",
        consequences: [
          "Errand deletes your saved sign-in, and nothing can act as you on the site anymore. This can't be undone.",
          "Queued errands are canceled, and running errands are stopped.",
          "To use the app again, reconnect it and sign in to the site. Your account on the site isn't affected.",
        ],
        confirm: "Delete sign-in",
        done: "Your saved sign-in is deleted.",
      },
    }),
  },
  {
    id: "delete",
    isAvailable: () => true,
    describe: ({ user, application }) => ({
      owner: {
        label: "Delete connection",
        question: "Delete the connection?",
        consequences: [
          `All data of ${cleanText(user.email)} in this application is deleted: the token, the saved sign-in, and every errand with its results and screenshots.`,
          "Queued and running errands stop immediately. If one was running, check the site for what it already did.",
          "This can't be undone. Your credits and transactions are kept. The user can connect again from scratch.",
        ],
        confirm: "Delete connection",
        done: "Connection deleted.",
      },
      user: {
        label: "Disconnect",
        question: "Disconnect this app?",
        consequences: [
          `${cleanText(application.name)} can no longer do anything for you, and your saved sign-in is deleted.`,
          "Its errands, results and screenshots are deleted from Errand. Anything it did on the site stays done.",
          "This can't be undone, but you can connect the app again from scratch.",
        ],
        confirm: "Disconnect",
        done: "App disconnected.",
      },
    }),
  },
];
