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

/** What messages are signed with, the only time that it is shown, and how a receiver uses it. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack gap="lg">
      <SecretOnce name="Signing secret" secret={secret} isKept={isKept} onKept={setIsKept}>
        Put it where your receiver reads its secrets, and nowhere else. Whoever has it can sign in the name of Errand.
      </SecretOnce>
      <details className="disclosure form-more" open>
        <summary>How a receiver verifies messages, in Node.js</summary>
        <Text size="sm" c="dimmed" my="xs">
          The signatures follow Standard Webhooks: there are libraries for most languages.
        </Text>
        <Code>{VERIFY_SAMPLE}</Code>
      </details>
      <Group justify="end" className="form-end">
        <Button disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** A server that takes messages and believes none that Errand has not signed. */
const VERIFY_SAMPLE = `// npm install standardwebhooks
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.ERRAND_WEBHOOK_SECRET);

createServer(async (request, response) => {
  // As it came: JSON that is written anew has another signature.
  const body = await text(request);
  let message;
  try {
    message = webhook.verify(body, request.headers);
  } catch {
    return response.writeHead(400).end();
  }
  // Answer soon, and work afterwards.
  response.writeHead(204).end();
  // A message can come twice. By its id you know it.
  const id = request.headers["webhook-id"];
  console.log(id, message.type, message.data);
}).listen(Number(process.env.PORT ?? 3000));
`;
