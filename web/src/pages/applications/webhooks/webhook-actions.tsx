import { Button, Drawer, Group, Menu, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
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
import { MoreMenu, useMenuDialogs } from "../../../components/more-menu.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { WebhookSecret } from "./new-webhook.tsx";
import { findChanges, toDraft, WebhookForm } from "./webhook-form.tsx";

type Dialog = "edit" | "rotate" | "disable" | "delete";

interface ActionsProps {
  webhookRef: WebhookRef;
  webhook: Webhook;
}

export function WebhookActions({ webhookRef, webhook }: ActionsProps) {
  const { dialog, open, menu, close, closeToMenu } = useMenuDialogs<Dialog>();
  return (
    <Group gap="xs">
      <PingButton webhookRef={webhookRef} isEnabled={webhook.enabled} />
      <Button variant="default" size="sm" onClick={() => open("edit")}>
        Edit
      </Button>
      <MoreMenu ref={menu} onDelete={() => open("delete")}>
        <Menu.Item onClick={() => open("rotate")}>Rotate secret</Menu.Item>
        {webhook.enabled && <Menu.Item onClick={() => open("disable")}>Disable</Menu.Item>}
      </MoreMenu>
      {dialog === "edit" && <EditWebhook webhookRef={webhookRef} webhook={webhook} onClose={close} />}
      {dialog === "rotate" && <RotateSecret webhookRef={webhookRef} webhook={webhook} onClose={closeToMenu} />}
      {dialog === "disable" && <DisableDialog webhookRef={webhookRef} onClose={closeToMenu} />}
      {dialog === "delete" && <DeleteDialog webhookRef={webhookRef} webhook={webhook} onClose={closeToMenu} />}
    </Group>
  );
}

function PingButton({ webhookRef, isEnabled }: { webhookRef: WebhookRef; isEnabled: boolean }) {
  const ping = usePing(webhookRef);
  return (
    <Button
      size="sm"
      disabled={!isEnabled}
      loading={ping.isPending}
      onClick={() =>
        ping.mutate(undefined, {
          onSuccess: () => notifications.show({ message: "Ping sent. The delivery log shows the result." }),
          onError: ({ message }) => notifications.show({ color: "red", title: "Couldn't send the ping", message }),
        })
      }
    >
      Send ping
    </Button>
  );
}

interface EditWebhookProps {
  webhookRef: WebhookRef;
  webhook: Webhook;
  onClose: () => void;
}

function EditWebhook({ webhookRef, webhook, onClose }: EditWebhookProps) {
  const saving = useChangeWebhook(webhookRef);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title="Edit webhook"
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={false}
    >
      <WebhookForm
        label="Edit webhook"
        initial={toDraft(webhook)}
        action="Save"
        isBusy={saving.isPending}
        error={saving.error}
        onSave={(draft) =>
          saving.mutate(findChanges(webhook, draft), {
            onSuccess() {
              onClose();
              notifications.show({ message: "Webhook saved. Changes apply from the next message." });
            },
          })
        }
        onCancel={onClose}
      />
    </Drawer>
  );
}

interface RotateProps {
  webhookRef: WebhookRef;
  webhook: Webhook;
  onClose: () => void;
}

/** Asks for confirmation, then shows the new secret until the user confirms that it is stored. */
function RotateSecret({ webhookRef, webhook, onClose }: RotateProps) {
  const rotation = useRotateWebhookSecret(webhookRef);
  const isAgain = webhook.previous_secret_until !== null;
  if (rotation.data === undefined) {
    return (
      <Confirm
        title="Rotate the secret?"
        action="Rotate secret"
        color={isAgain ? "red" : "teal"}
        isOpen
        isBusy={rotation.isPending}
        error={rotation.error}
        onClose={onClose}
        onConfirm={() => rotation.mutate({ force: isAgain })}
      >
        You'll get a new secret, shown only once. For 24 hours, messages are signed with both the new and the previous
        secret, so receivers keep working while you switch. After that, only the new secret is used.
        {isAgain &&
          " The secret was rotated recently. The one before it is still in use and stops working immediately."}
      </Confirm>
    );
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title="New signing secret"
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

interface DialogProps {
  webhookRef: WebhookRef;
  onClose: () => void;
}

function DisableDialog({ webhookRef, onClose }: DialogProps) {
  const disabling = useChangeWebhook(webhookRef);
  return (
    <Confirm
      title="Disable this webhook?"
      action="Disable"
      isOpen
      isBusy={disabling.isPending}
      error={disabling.error}
      onClose={onClose}
      onConfirm={() => disabling.mutate({ enabled: false }, { onSuccess: onClose })}
    >
      Pending messages are canceled, and new events aren't sent. You can enable the webhook again at any time. Its
      secret and delivery log are kept.
    </Confirm>
  );
}

function DeleteDialog({ webhookRef, webhook, onClose }: DialogProps & { webhook: Webhook }) {
  const [, navigate] = useLocation();
  const deletion = useDeleteWebhook(webhookRef, () => {
    navigate(`/applications/${webhookRef.applicationId}/webhooks`);
    notifications.show({ message: "Webhook deleted." });
  });

  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete webhook"
      isOpen
      isBusy={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate()}
    >
      <UntrustedText>{webhook.url}</UntrustedText> receives no more messages, and pending ones are dropped. Its secret
      and delivery log are permanently deleted.
    </Confirm>
  );
}
