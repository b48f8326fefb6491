import { Modal } from "@mantine/core";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { useRotateWebhookSecret, type WebhookPlace } from "../../../api/webhooks.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

interface RotateProps {
  place: WebhookPlace;
  webhook: Webhook;
  onClose: () => void;
}

/** Asks, and then shows the new one until somebody says that they have it. */
export function RotateSecret({ place, webhook, onClose }: RotateProps) {
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
