import { Alert, Button, Center, Group, List, Loader, Modal, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ConsoleError } from "../api/client.ts";
import { UntrustedText } from "./untrusted-text.tsx";

const ROWS = ["a", "b", "c", "d", "e"];

export function LoadingPage() {
  return (
    <Center h="60vh" role="status" aria-label="Loading">
      <Loader aria-hidden="true" />
    </Center>
  );
}

/** Placeholder for a loading list. */
export function LoadingRows() {
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading">
      {ROWS.map((row) => (
        <Skeleton key={row} height={40} />
      ))}
    </Stack>
  );
}

/** An error message with its details and a retry button. */
export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const details = error instanceof ConsoleError ? error.details : [];
  return (
    <Alert color="red" title="Something went wrong" role="alert">
      <Stack gap="xs" align="start">
        <Text size="sm">
          {error.message}
          {error instanceof ConsoleError &&
            error.code === "INSUFFICIENT_CREDITS" &&
            " The owner of this installation can grant more on the Credits page."}
        </Text>
        {details.length > 0 && (
          <List size="sm">
            {details.map(({ path, message }) => (
              <List.Item key={`${path} ${message}`}>
                {path}: {message}
              </List.Item>
            ))}
          </List>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export function ErrorPage(props: { error: Error; onRetry: () => void }) {
  return (
    <Center h="60vh" p="md">
      <ErrorAlert {...props} />
    </Center>
  );
}

interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** The label of the confirm button. */
  action: string;
  /** Text the user has to type to enable the confirm button. */
  typed?: string;
  /** Red by default. */
  color?: string;
  isOpen: boolean;
  isBusy: boolean;
  error: Error | null;
  onClose: () => void;
  onConfirm: () => void;
}

/** Asks before an action that can't be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, typed, color = "red", isOpen, isBusy, error, onClose, onConfirm } = props;
  const [text, setText] = useState("");
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {typed !== undefined && (
            <TextInput
              label={
                <>
                  Type <UntrustedText>{typed}</UntrustedText> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
          )}
          {error !== null && <ErrorAlert error={error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color={color} loading={isBusy} disabled={typed !== undefined && text !== typed}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
