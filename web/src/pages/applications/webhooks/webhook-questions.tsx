import { notifications } from "@mantine/notifications";
import { useLocation } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { useChangeWebhook, useDeleteWebhook, type WebhookPlace } from "../../../api/webhooks.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";

interface QuestionProps {
  place: WebhookPlace;
  onClose: () => void;
}

export function DisableQuestion({ place, onClose }: QuestionProps) {
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

export function DeleteQuestion({ place, webhook, onClose }: QuestionProps & { webhook: Webhook }) {
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
      <ForeignText>{webhook.url}</ForeignText> is told nothing more, and what waits is not sent. Its secret and its
      delivery log go with it, for good.
    </Confirm>
  );
}
