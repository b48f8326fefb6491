import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { Problem } from "../../../../parts/problem.tsx";
import { useDraftForm } from "../../../../parts/use-draft-form.ts";
import { WEBHOOK_FIELDS, type WebhookDraft } from "./webhook-draft.ts";
import { WebhookFields } from "./webhook-fields.tsx";

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
