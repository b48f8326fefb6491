import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ForeignText } from "./foreign-text.tsx";
import { Problem } from "./problem.tsx";

interface ConfirmProps {
  title: string;
  children: ReactNode;
  /** On the button that does it. */
  action: string;
  /** What has to be typed before it can be pressed. */
  typed?: string;
  /** Red, unless nothing is lost by it. */
  color?: string;
  isOpen: boolean;
  isBusy: boolean;
  error: Error | null;
  onClose: () => void;
  onConfirm: () => void;
}

/** Asks before something is done that cannot be taken back. */
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
                  Type <ForeignText>{typed}</ForeignText> to confirm
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
          )}
          {error !== null && <Problem error={error} />}
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
