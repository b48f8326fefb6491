import { Button, Group, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef, useState } from "react";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { usePing, type WebhookPlace } from "../../../api/webhooks.ts";
import { EditWebhook } from "./edit-webhook.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { DeleteQuestion, DisableQuestion } from "./webhook-questions.tsx";

type Asked = "edit" | "rotate" | "disable" | "delete";

interface ActionsProps {
  place: WebhookPlace;
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

function PingButton({ place, isEnabled }: { place: WebhookPlace; isEnabled: boolean }) {
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
