import { ActionIcon, Button, List, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import { type ConnectionDeed, useConnectionDeed } from "../../api/connections.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { cleanText } from "../../parts/foreign-text.tsx";
import { DEEDS, type Voice } from "./connection-deeds.ts";

interface ActionsProps {
  connection: ConsoleConnection;
  voice: Voice;
}

/** What can be done with a connection, each behind a question that says what becomes of it. */
export function ConnectionActions({ connection, voice }: ActionsProps) {
  const [asked, setAsked] = useState<ConnectionDeed | null>(null);
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
          {DEEDS.filter((deed) => deed.isPossible(connection)).map(({ id, say }) => (
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
  deed: ConnectionDeed;
  onClose: () => void;
}

function Question({ connection, voice, deed, onClose }: QuestionProps) {
  const work = useConnectionDeed(connection.id);
  // As it was when it was asked about: once it is done, the list may already say otherwise.
  const [words] = useState(() => DEEDS.find(({ id }) => id === deed)?.say(connection)[voice]);
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
