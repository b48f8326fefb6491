import { Button, Checkbox, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { CreateWebhook, UpdateWebhook, Webhook } from "../../../../../src/contract/webhook.ts";
import type { WebhookEvent } from "../../../../../src/contract/webhook-events.ts";
import { type FieldErrors, useDraftForm } from "../../../components/draft-form.ts";
import { ErrorAlert } from "../../../components/feedback.tsx";
import { EVENT_DESCRIPTIONS, EVENTS } from "./webhook-state.tsx";

interface WebhookFormProps {
  label: string;
  initial: WebhookDraft;
  /** The label of the save button. */
  action: string;
  isBusy: boolean;
  error: Error | null;
  onSave: (draft: WebhookDraft) => void;
  onCancel: () => void;
}

export function WebhookForm({ label, initial, action, isBusy, error, onSave, onCancel }: WebhookFormProps) {
  const { form, draft, errors, change } = useDraftForm(initial, error, WEBHOOK_FIELDS);
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const choosesNone = !draft.wantsAll && draft.events.length === 0;
  const byField =
    wasSubmitted && choosesNone ? { ...errors.byField, events: "Select at least one event." } : errors.byField;
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        setWasSubmitted(true);
        if (!choosesNone) onSave(draft);
      }}
    >
      <Stack gap="lg">
        <WebhookFields draft={draft} errors={byField} onChange={change} />
        {errors.other !== null && <ErrorAlert error={errors.other} />}
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
  errors: FieldErrors<keyof WebhookDraft>["byField"];
  onChange: (changes: Partial<WebhookDraft>) => void;
}

const errorProps = { className: "error-lines wrap-anywhere" };

function WebhookFields({ draft, errors, onChange }: FieldsProps) {
  return (
    <Stack gap="lg">
      <TextInput
        label="URL"
        description="Messages are sent here as signed POST requests. Use https."
        placeholder="https://app.example.com/webhooks/errand"
        type="url"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2_048}
        required
        data-autofocus
        value={draft.url}
        error={errors.url}
        errorProps={errorProps}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <TextInput
        label="Description"
        description="Optional. What this webhook is for."
        placeholder="Orders service"
        maxLength={200}
        value={draft.description}
        error={errors.description}
        errorProps={errorProps}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <EventsField draft={draft} errors={errors} onChange={onChange} />
    </Stack>
  );
}

function EventsField({ draft, errors, onChange }: FieldsProps) {
  return (
    <div>
      <Radio.Group
        label="Events"
        value={draft.wantsAll ? "all" : "some"}
        onChange={(wanted) => onChange({ wantsAll: wanted === "all" })}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="all" label="All events" description="Including events that are added later." />
          <Radio value="some" label="Selected events" description="Only the events you choose." />
        </Stack>
      </Radio.Group>
      {!draft.wantsAll && (
        <Checkbox.Group
          mt="md"
          ml="xl"
          aria-label="Selected events"
          value={draft.events}
          error={errors.events}
          errorProps={{ ...errorProps, mt: "xs" }}
          onChange={(events) => onChange({ events: events as WebhookEvent[] })}
        >
          <Stack gap="sm">
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} description={EVENT_DESCRIPTIONS[event]} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </div>
  );
}

/** The form's values. */
interface WebhookDraft {
  url: string;
  description: string;
  wantsAll: boolean;
  /** Kept while "All events" is selected, in case the user switches back. */
  events: WebhookEvent[];
}

export const BLANK: WebhookDraft = { url: "", description: "", wantsAll: true, events: [] };

/** API field names. */
const WEBHOOK_FIELDS: Readonly<Record<string, keyof WebhookDraft>> = {
  url: "url",
  description: "description",
  events: "events",
};

export function toDraft({ url, description, events }: Webhook): WebhookDraft {
  return { url, description: description ?? "", wantsAll: events === null, events: [...(events ?? [])] };
}

/** Only the differences, so that others' concurrent changes are kept. */
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
    // In a fixed order, independent of the order of selection.
    events: wantsAll ? null : EVENTS.filter((event) => events.includes(event)),
  };
}
