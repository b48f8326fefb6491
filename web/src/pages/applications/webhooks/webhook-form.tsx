import { Button, Checkbox, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { CreateWebhook, UpdateWebhook, Webhook } from "../../../../../src/contract/webhook.ts";
import type { WebhookEvent } from "../../../../../src/contract/webhook-events.ts";
import { type FieldErrors, useDraftForm } from "../../../components/draft-form.ts";
import { Problem } from "../../../components/feedback.tsx";
import { EVENT_WORDS, EVENTS } from "./webhook-state.tsx";

interface WebhookFormProps {
  label: string;
  initial: WebhookDraft;
  /** On the button that saves it. */
  action: string;
  isBusy: boolean;
  error: Error | null;
  onSave: (draft: WebhookDraft) => void;
  onCancel: () => void;
}

export function WebhookForm({ label, initial, action, isBusy, error, onSave, onCancel }: WebhookFormProps) {
  const { form, draft, mistakes, change } = useDraftForm(initial, error, WEBHOOK_FIELDS);
  const [wasTried, setWasTried] = useState(false);
  const choosesNone = !draft.wantsAll && draft.events.length === 0;
  const byField =
    wasTried && choosesNone ? { ...mistakes.byField, events: "Choose at least one, or all." } : mistakes.byField;
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        setWasTried(true);
        if (!choosesNone) onSave(draft);
      }}
    >
      <Stack gap="lg">
        <WebhookFields draft={draft} mistakes={byField} onChange={change} />
        {mistakes.other !== null && <Problem error={mistakes.other} />}
        <Group justify="end" className="form-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  draft: WebhookDraft;
  mistakes: FieldErrors<keyof WebhookDraft>["byField"];
  onChange: (changes: Partial<WebhookDraft>) => void;
}

const errorProps = { className: "error-lines wrap-anywhere" };

function WebhookFields({ draft, mistakes, onChange }: FieldsProps) {
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

/** A webhook as it stands in the form. */
interface WebhookDraft {
  url: string;
  description: string;
  wantsAll: boolean;
  /** Kept while all are wanted, for whoever changes their mind. */
  events: WebhookEvent[];
}

export const BLANK: WebhookDraft = { url: "", description: "", wantsAll: true, events: [] };

/** Where each part of it stands on the wire. */
const WEBHOOK_FIELDS: Readonly<Record<string, keyof WebhookDraft>> = {
  url: "url",
  description: "description",
  events: "events",
};

export function toDraft({ url, description, events }: Webhook): WebhookDraft {
  return { url, description: description ?? "", wantsAll: events === null, events: [...(events ?? [])] };
}

/** Only what differs: what somebody else has changed meanwhile stays as they left it. */
export function findChanges(webhook: Webhook, draft: WebhookDraft): UpdateWebhook {
  const before = toBody(toDraft(webhook));
  const after = toBody(draft);
  const names = Object.keys(after) as (keyof CreateWebhook)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}

export function toBody({ url, description, wantsAll, events }: WebhookDraft): Required<CreateWebhook> {
  return {
    url: url.trim(),
    description: description.trim() === "" ? null : description.trim(),
    // In one order, however they were chosen.
    events: wantsAll ? null : EVENTS.filter((event) => events.includes(event)),
  };
}
