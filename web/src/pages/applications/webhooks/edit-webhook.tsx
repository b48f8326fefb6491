import { Drawer } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { useChangeWebhook, type WebhookPlace } from "../../../api/webhooks.ts";
import { findChanges, toDraft } from "./form/webhook-draft.ts";
import { WebhookForm } from "./form/webhook-form.tsx";

interface EditWebhookProps {
  place: WebhookPlace;
  webhook: Webhook;
  onClose: () => void;
}

export function EditWebhook({ place, webhook, onClose }: EditWebhookProps) {
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
