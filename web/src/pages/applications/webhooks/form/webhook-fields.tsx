import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import type { WebhookEvent } from "../../../../../../src/contract/webhook-events.ts";
import type { FieldMistakes } from "../../../../parts/field-mistakes.ts";
import { EVENT_WORDS, EVENTS } from "../event-words.ts";
import type { WebhookDraft } from "./webhook-draft.ts";

interface FieldsProps {
  draft: WebhookDraft;
  mistakes: FieldMistakes<keyof WebhookDraft>["byField"];
  onChange: (changes: Partial<WebhookDraft>) => void;
}

const errorProps = { className: "error-lines wrap-anywhere" };

export function WebhookFields({ draft, mistakes, onChange }: FieldsProps) {
  return (
    <Stack gap="lg">
      <TextInput
        label="Address"
        description="Where messages are sent, each as a POST with a signature. Use https."
        placeholder="https://app.example.com/webhooks/errand"
        type="url"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2_048}
        required
        data-autofocus
        value={draft.url}
        error={mistakes.url}
        errorProps={errorProps}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <TextInput
        label="Description"
        description="For people: what it is for."
        placeholder="Orders service"
        maxLength={200}
        value={draft.description}
        error={mistakes.description}
        errorProps={errorProps}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <EventsField draft={draft} mistakes={mistakes} onChange={onChange} />
    </Stack>
  );
}

function EventsField({ draft, mistakes, onChange }: FieldsProps) {
  return (
    <div>
      <Radio.Group
        label="Events"
        value={draft.wantsAll ? "all" : "some"}
        onChange={(wanted) => onChange({ wantsAll: wanted === "all" })}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="all" label="All" description="Also those that are added later." />
          <Radio value="some" label="Only some" description="You are told of nothing else." />
        </Stack>
      </Radio.Group>
      {!draft.wantsAll && (
        <Checkbox.Group
          mt="md"
          ml="xl"
          aria-label="Which events"
          value={draft.events}
          error={mistakes.events}
          errorProps={{ ...errorProps, mt: "xs" }}
          onChange={(events) => onChange({ events: events as WebhookEvent[] })}
        >
          <Stack gap="sm">
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} description={EVENT_WORDS[event]} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </div>
  );
}
