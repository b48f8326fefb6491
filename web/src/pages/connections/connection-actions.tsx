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

/** What can be done with a connection, each behind a question that says what becomes of it. */
export function ConnectionActions({ connection, voice }: ActionsProps) {
  const [asked, setAsked] = useState<ConnectionActionId | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const subject = cleanText(voice === "owner" ? connection.user.email : connection.application.name);
  const close = () => {
    setAsked(null);
    // The menu that led here is gone, so nothing else would give it back.
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
            <Button
              ref={button}
              variant="default"
              size="xs"
              className="keeps-width"
              aria-label={`Change or stop ${subject}`}
            >
              Change or stop
            </Button>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/executions?connection_id=${connection.id}`}>
            {voice === "owner" ? "Show its executions" : "Show what it has done"}
          </Menu.Item>
          <Menu.Divider />
          {ACTIONS.filter((deed) => deed.isPossible(connection)).map(({ id, say }) => (
            <Menu.Item key={id} {...(id === "delete" ? { color: "red" } : {})} onClick={() => setAsked(id)}>
              {say(connection)[voice].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {asked !== null && <Question connection={connection} voice={voice} deed={asked} onClose={close} />}
    </>
  );
}

interface QuestionProps extends ActionsProps {
  deed: ConnectionActionId;
  onClose: () => void;
}

function Question({ connection, voice, deed, onClose }: QuestionProps) {
  const work = useConnectionAction(connection.id);
  // As it was when it was asked about: once it is done, the list may already say otherwise.
  const [words] = useState(() => ACTIONS.find(({ id }) => id === deed)?.say(connection)[voice]);
  if (words === undefined) return null;
  return (
    <Confirm
      title={words.question}
      action={words.action}
      isOpen
      isBusy={work.isPending}
      error={work.error}
      onClose={onClose}
      onConfirm={() =>
        work.mutate(deed, {
          onSuccess() {
            onClose();
            notifications.show({ message: words.done });
          },
        })
      }
    >
      <List size="sm" spacing={6} className="wrap-anywhere">
        {words.consequences.map((consequence) => (
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

/** To whom it is said: somebody whose application it is, or somebody for whom the application acts. */
export type Voice = "owner" | "user";

interface Wording {
  label: string;
  question: string;
  /** Exactly what becomes of it, one sentence to a line. */
  consequences: readonly string[];
  action: string;
  done: string;
}

interface Deed {
  id: ConnectionActionId;
  isPossible(connection: ConsoleConnection): boolean;
  say(connection: ConsoleConnection): Record<Voice, Wording>;
}

/** From the mildest to the one that leaves nothing. */
const ACTIONS: readonly Deed[] = [
  {
    id: "require-sign-in",
    isPossible: ({ state }) => state === "ACTIVE",
    say: ({ user, application }) => ({
      owner: {
        label: "Ask for re-authorization",
        question: "Ask for re-authorization?",
        consequences: [
          `Nothing new runs for ${cleanText(user.email)} until they have gone through the authorization link once more.`,
          "What waits ends without having run, and costs nothing. What runs right now goes on.",
          "The token, the saved sign-in and the history stay.",
        ],
        action: "Ask for it",
        done: "Nothing runs until they have agreed again.",
      },
      user: {
        label: "Pause until I agree again",
        question: "Pause it until you agree again?",
        consequences: [
          `${cleanText(application.name)} can do nothing new for you until you connect it again.`,
          "What it is doing right now goes on to its end; what waits is dropped.",
          "Your saved sign-in and the history stay.",
        ],
        action: "Pause it",
        done: "It is paused until you connect it again.",
      },
    }),
  },
  {
    id: "delete-token",
    isPossible: ({ has_token }) => has_token,
    say: ({ user, application }) => ({
      owner: {
        label: "Revoke the token",
        question: "Revoke the token?",
        consequences: [
          `Your application's token for ${cleanText(user.email)} stops working at once: it can neither create nor read executions.`,
          "What waits or runs right now goes on.",
          "The authorization link gives a new token, with the same connection and history.",
        ],
        action: "Revoke it",
        done: "The token is revoked.",
      },
      user: {
        label: "Take its access away",
        question: "Take its access away?",
        consequences: [
          `${cleanText(application.name)} loses its key to you at once: it sees no results, and nothing new runs any more until you connect it again.`,
          "What it is doing right now goes on to its end; what waits is dropped.",
          "If you connect it again, it goes on where it was.",
        ],
        action: "Take it away",
        done: "Nothing runs any more until you connect it again.",
      },
    }),
  },
  {
    id: "delete-sign-in",
    isPossible: ({ signed_in_at }) => signed_in_at !== null,
    say: ({ user }) => ({
      owner: {
        label: "Delete the saved sign-in",
        question: "Delete the saved sign-in?",
        consequences: [
          `Errand forgets how the site knows ${cleanText(user.email)}. It cannot be brought back.`,
          "What waits is canceled, and what runs is stopped.",
          "They have to go through the authorization link and sign in to the site once more. The history stays.",
        ],
        action: "Delete the sign-in",
        done: "The saved sign-in is deleted.",
      },
      user: {
        label: "Forget my sign-in",
        question: "Forget your sign-in?",
        consequences: [
          "Errand forgets how the site knows you. Nobody can bring it back, and nothing can act as you there.",
          "What waits is canceled, and what runs is stopped.",
          "To use it again you connect it and sign in to the site once more. On the site itself you stay as you are.",
        ],
        action: "Forget it",
        done: "Your sign-in is forgotten.",
      },
    }),
  },
  {
    id: "delete",
    isPossible: () => true,
    say: ({ user, application }) => ({
      owner: {
        label: "Delete the connection",
        question: "Delete the connection?",
        consequences: [
          `Everything of ${cleanText(user.email)} with this application goes: the token, the saved sign-in, and every execution with its results and screenshots.`,
          "What waits or runs ends at once. If something was running, look at the site for what it did.",
          "Nobody can bring it back. Your credits and the ledger stay. They can connect again, from the beginning.",
        ],
        action: "Delete the connection",
        done: "The connection is deleted.",
      },
      user: {
        label: "Remove it completely",
        question: "Remove it completely?",
        consequences: [
          `${cleanText(application.name)} can do nothing for you any more, and your sign-in is forgotten.`,
          "Everything it has done for you is deleted here: results and screenshots. What it did on the site stays done.",
          "Nobody can bring it back. You can connect it again, from the beginning.",
        ],
        action: "Remove it",
        done: "It is removed.",
      },
    }),
  },
];
