import { Drawer } from "@mantine/core";
import { useLocation } from "wouter";
import { useCreateWebhook } from "../../../api/webhooks.ts";
import { BLANK, toBody } from "./form/webhook-draft.ts";
import { WebhookForm } from "./form/webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

interface NewWebhookProps {
  applicationId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** From nothing to a webhook and its secret, which stays on the screen until somebody says that they have it. */
export function NewWebhook({ applicationId, isOpen, onClose }: NewWebhookProps) {
  const [, navigate] = useLocation();
  const creation = useCreateWebhook(applicationId);
  const made = creation.data;

  function close() {
    creation.reset();
    onClose();
  }

  function showMade() {
    close();
    navigate(`/applications/${applicationId}/webhooks/${made?.webhook.id}`);
  }

  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="lg"
      title={made === undefined ? "New webhook" : "Keep its secret"}
      closeButtonProps={{ "aria-label": "Close" }}
      // A slip beside it would throw away what was typed.
      closeOnClickOutside={false}
      closeOnEscape={made === undefined}
      withCloseButton={made === undefined}
    >
      {made === undefined ? (
        <WebhookForm
          label="New webhook"
          initial={BLANK}
          action="Add webhook"
          isBusy={creation.isPending}
          error={creation.error}
          onSave={(draft) => creation.mutate(toBody(draft))}
          onCancel={close}
        />
      ) : (
        <WebhookSecret secret={made.secret} onDone={showMade} />
      )}
    </Drawer>
  );
}
