import { Button, Drawer, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { useCreateWebhook } from "../../../api/webhooks.ts";
import { Code } from "../../../components/copy.tsx";
import { SecretOnce } from "../secret-once.tsx";
import { BLANK, toBody, WebhookForm } from "./webhook-form.tsx";

interface NewWebhookProps {
  applicationId: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Creates a webhook, then shows its secret until the user confirms that it is stored. */
export function NewWebhook({ applicationId, isOpen, onClose }: NewWebhookProps) {
  const [, navigate] = useLocation();
  const creation = useCreateWebhook(applicationId);
  const created = creation.data;

  function close() {
    creation.reset();
    onClose();
  }

  function showCreated() {
    close();
    navigate(`/applications/${applicationId}/webhooks/${created?.webhook.id}`);
  }

  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="lg"
      title={created === undefined ? "New webhook" : "Save the signing secret"}
      closeButtonProps={{ "aria-label": "Close" }}
      // An accidental click outside would discard the form.
      closeOnClickOutside={false}
      closeOnEscape={created === undefined}
      withCloseButton={created === undefined}
    >
      {created === undefined ? (
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
        <WebhookSecret secret={created.secret} onDone={showCreated} />
      )}
    </Drawer>
  );
}

/** Shows the signing secret, which can't be shown again, and how a receiver uses it. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isStored, setIsStored] = useState(false);
  return (
    <Stack gap="lg">
      <SecretOnce name="Signing secret" secret={secret} isStored={isStored} onStored={setIsStored}>
        Errand can't show this secret again. Store it where your receiver keeps its secrets. Anyone who has it can forge
        messages.
      </SecretOnce>
      <details className="disclosure form-more" open>
        <summary>Verify messages in Node.js</summary>
        <Text size="sm" c="dimmed" my="xs">
          Signatures follow Standard Webhooks, which has libraries for most languages.
        </Text>
        <Code>{VERIFY_SAMPLE}</Code>
      </details>
      <Group justify="end" className="form-end">
        <Button disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** A receiver that accepts only messages signed by Errand. */
const VERIFY_SAMPLE = `// npm install standardwebhooks
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.ERRAND_WEBHOOK_SECRET);

createServer(async (request, response) => {
  // Verify the raw body: re-serialized JSON has a different signature.
  const body = await text(request);
  let message;
  try {
    message = webhook.verify(body, request.headers);
  } catch {
    return response.writeHead(400).end();
  }
  // Respond quickly, then do the work.
  response.writeHead(204).end();
  // A message can arrive twice. Use its id to recognize it.
  const id = request.headers["webhook-id"];
  console.log(id, message.type, message.data);
}).listen(Number(process.env.PORT ?? 3000));
`;
