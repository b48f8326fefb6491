import { Alert, Button, Stack, Text } from "@mantine/core";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { useChangeWebhook, type WebhookPlace } from "../../../api/webhooks.ts";
import { Moment } from "../../../parts/moment.tsx";
import { Problem } from "../../../parts/problem.tsx";

interface DisabledNoticeProps {
  place: WebhookPlace;
  disabled: NonNullable<Webhook["disabled"]>;
}

/** Why nothing is sent, and the way back. */
export function DisabledNotice({ place, disabled: { at, reason } }: DisabledNoticeProps) {
  const enabling = useChangeWebhook(place);
  return (
    <Alert color={reason === "gone" ? "red" : "yellow"} title="Nothing is sent" role="status">
      <Stack gap="sm" align="start">
        <Text size="sm">
          {reason === "gone" ? (
            <>
              The receiver answered 410 <Moment at={at} />: it is gone and wants no more messages. Once the address is
              right, enable it again.
            </>
          ) : (
            <>
              It was disabled <Moment at={at} />. What happens meanwhile is not sent later.
            </>
          )}
        </Text>
        {enabling.error !== null && <Problem error={enabling.error} />}
        <Button
          size="xs"
          variant="default"
          loading={enabling.isPending}
          onClick={() => enabling.mutate({ enabled: true })}
        >
          Enable it
        </Button>
      </Stack>
    </Alert>
  );
}
