import { Button, Drawer, Group, Menu, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import {
  useChangeWebhook,
  useDeleteWebhook,
  usePing,
  useRotateWebhookSecret,
  type WebhookRef,
} from "../../../api/webhooks.ts";
import { Confirm } from "../../../components/feedback.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { WebhookSecret } from "./new-webhook.tsx";
import { findChanges, toDraft, WebhookForm } from "./webhook-form.tsx";

type Asked = "edit" | "rotate" | "disable" | "delete";

interface ActionsProps {
  place: WebhookRef;
  webhook: Webhook;
}

export function WebhookActions({ place, webhook }: ActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const more = useRef<HTMLButtonElement>(null);
  const close = () => {
    setAsked(null);
    // The menu that led here is gone, so nothing else would give it back.
    more.current?.focus();
  };
  return (
    <Group gap="xs">
      <PingButton place={place} isEnabled={webhook.enabled} />
      <Button variant="default" size="sm" onClick={() => setAsked("edit")}>
        Edit
      </Button>
      <Menu position="bottom-end" width={200} withinPortal>
        <Menu.Target>
          <Button ref={more} variant="default" size="sm">
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked("rotate")}>Rotate the secret</Menu.Item>
          {webhook.enabled && <Menu.Item onClick={() => setAsked("disable")}>Disable</Menu.Item>}
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => setAsked("delete")}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "edit" && <EditWebhook place={place} webhook={webhook} onClose={() => setAsked(null)} />}
      {asked === "rotate" && <RotateSecret place={place} webhook={webhook} onClose={close} />}
      {asked === "disable" && <DisableQuestion place={place} onClose={close} />}
      {asked === "delete" && <DeleteQuestion place={place} webhook={webhook} onClose={close} />}
    </Group>
  );
}

function PingButton({ place, isEnabled }: { place: WebhookRef; isEnabled: boolean }) {
  const ping = usePing(place);
  return (
    <Button
      size="sm"
      disabled={!isEnabled}
      loading={ping.isPending}
      onClick={() =>
        ping.mutate(undefined, {
          onSuccess: () => notifications.show({ message: "A ping is on its way. What comes of it is in the log." }),
          onError: ({ message }) => notifications.show({ color: "red", title: "No ping was sent", message }),
        })
      }
    >
      Send a ping
    </Button>
  );
}

interface EditWebhookProps {
  place: WebhookRef;
  webhook: Webhook;
  onClose: () => void;
}

function EditWebhook({ place, webhook, onClose }: EditWebhookProps) {
  const saving = useChangeWebhook(place);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Change the webhook"
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={false}
    >
      <WebhookForm
        label="Change the webhook"
        initial={toDraft(webhook)}
        action="Save"
        isBusy={saving.isPending}
        error={saving.error}
        onSave={(draft) =>
          saving.mutate(findChanges(webhook, draft), {
            onSuccess() {
              onClose();
              notifications.show({ message: "The webhook is saved. It holds from the next message on." });
            },
          })
        }
        onCancel={onClose}
      />
    </Drawer>
  );
}

interface RotateProps {
  place: WebhookRef;
  webhook: Webhook;
  onClose: () => void;
}

/** Asks, and then shows the new one until somebody says that they have it. */
function RotateSecret({ place, webhook, onClose }: RotateProps) {
  const rotation = useRotateWebhookSecret(place);
  const isAgain = webhook.previous_secret_until !== null;
  if (rotation.data === undefined) {
    return (
      <Confirm
        title="Rotate the secret?"
        action="Make a new one"
        color={isAgain ? "red" : "teal"}
        isOpen
        isBusy={rotation.isPending}
        error={rotation.error}
        onClose={onClose}
        onConfirm={() => rotation.mutate({ force: isAgain })}
      >
        A new secret is made, which you see once. For 24 hours the previous one signs every message as well, so that a
        receiver that knows either of them goes on working. After that only the new one signs.
        {isAgain && " The secret was rotated a short while ago: the one before it still signs, and ends at once."}
      </Confirm>
    );
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title="The new secret"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      centered
    >
      <WebhookSecret secret={rotation.data} onDone={onClose} />
    </Modal>
  );
}

interface QuestionProps {
  place: WebhookRef;
  onClose: () => void;
}

function DisableQuestion({ place, onClose }: QuestionProps) {
  const disabling = useChangeWebhook(place);
  return (
    <Confirm
      title="Disable the webhook?"
      action="Disable it"
      isOpen
      isBusy={disabling.isPending}
      error={disabling.error}
      onClose={onClose}
      onConfirm={() => disabling.mutate({ enabled: false }, { onSuccess: onClose })}
    >
      What waits to be sent is canceled, and what happens from now on is not told. You can enable it again at any time;
      its secret and its log stay.
    </Confirm>
  );
}

function DeleteQuestion({ place, webhook, onClose }: QuestionProps & { webhook: Webhook }) {
  const [, navigate] = useLocation();
  const deletion = useDeleteWebhook(place, () => {
    navigate(`/applications/${place.applicationId}/webhooks`);
    notifications.show({ message: "The webhook is deleted." });
  });

  return (
    <Confirm
      title="Delete the webhook?"
      action="Delete it"
      isOpen
      isBusy={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate()}
    >
      <UntrustedText>{webhook.url}</UntrustedText> is told nothing more, and what waits is not sent. Its secret and its
      delivery log go with it, for good.
    </Confirm>
  );
}
