import { Button, Drawer, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { CreatedApplication } from "../../../../src/contract/console/applications.ts";
import { useCreateApplication } from "../../api/applications.ts";
import { useDraftForm } from "../../components/draft-form.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { APPLICATION_FIELDS, ApplicationFields, BLANK, toNewApplication } from "./application-form.tsx";
import { ClientSecretOnce } from "./secret-once.tsx";

/** Creates an application, then shows its secret until the user confirms that it is stored. */
export function NewApplication({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [created, setCreated] = useState<CreatedApplication | null>(null);

  function show(created: CreatedApplication) {
    if (created.client_secret === null) navigate(`/applications/${created.application.id}`);
    else setCreated(created);
  }

  return (
    <Drawer
      opened={isOpen || created !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={created === null ? "New application" : "Save the client secret"}
      closeButtonProps={{ "aria-label": "Close" }}
      // An accidental click outside would discard the form.
      closeOnClickOutside={false}
      closeOnEscape={created === null}
      withCloseButton={created === null}
    >
      {created === null ? <NewApplicationForm onCreated={show} onCancel={onClose} /> : <Created created={created} />}
    </Drawer>
  );
}

interface FormProps {
  onCreated: (created: CreatedApplication) => void;
  onCancel: () => void;
}

function NewApplicationForm({ onCreated, onCancel }: FormProps) {
  const creation = useCreateApplication();
  const { form, draft, errors, change } = useDraftForm(BLANK, creation.error, APPLICATION_FIELDS);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate(toNewApplication(draft), { onSuccess: onCreated });
      }}
    >
      <Stack gap="lg">
        <ApplicationFields draft={draft} errors={errors.byField} isNew onChange={change} />
        {errors.other !== null && <ErrorAlert error={errors.other} />}
        <Group justify="end" className="form-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={creation.isPending}>
            Create application
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Created({ created: { application, client_secret } }: { created: CreatedApplication }) {
  const [, navigate] = useLocation();
  const [isStored, setIsStored] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        <UntrustedText>{application.name}</UntrustedText> is ready. Your server uses this secret to authenticate with
        Errand.
      </Text>
      <ClientSecretOnce secret={client_secret ?? ""} isStored={isStored} onStored={setIsStored} />
      <Group justify="end">
        <Button disabled={!isStored} onClick={() => navigate(`/applications/${application.id}`)}>
          Continue
        </Button>
      </Group>
    </Stack>
  );
}
