import { Button, Drawer, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ApplicationMade } from "../../../../src/contract/console/applications.ts";
import { useCreateApplication } from "../../api/applications.ts";
import { useDraftForm } from "../../components/draft-form.ts";
import { Problem } from "../../components/feedback.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { APPLICATION_FIELDS, ApplicationFields, BLANK, toNewApplication } from "./application-form.tsx";
import { ClientSecretOnce } from "./secret-once.tsx";

/** From nothing to an application and its secret, which stays on the screen until somebody says that they have it. */
export function NewApplication({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [made, setMade] = useState<ApplicationMade | null>(null);

  function show(answer: ApplicationMade) {
    if (answer.client_secret === null) navigate(`/applications/${answer.application.id}`);
    else setMade(answer);
  }

  return (
    <Drawer
      opened={isOpen || made !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={made === null ? "New application" : "Keep its secret"}
      closeButtonProps={{ "aria-label": "Close" }}
      // A slip beside it would throw away what was typed.
      closeOnClickOutside={false}
      closeOnEscape={made === null}
      withCloseButton={made === null}
    >
      {made === null ? <NewApplicationForm onMade={show} onCancel={onClose} /> : <Made made={made} />}
    </Drawer>
  );
}

interface FormProps {
  onMade: (made: ApplicationMade) => void;
  onCancel: () => void;
}

function NewApplicationForm({ onMade, onCancel }: FormProps) {
  const creation = useCreateApplication();
  const { form, draft, mistakes, change } = useDraftForm(BLANK, creation.error, APPLICATION_FIELDS);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate(toNewApplication(draft), { onSuccess: onMade });
      }}
    >
      <Stack gap="lg">
        <ApplicationFields draft={draft} mistakes={mistakes.byField} isNew onChange={change} />
        {mistakes.other !== null && <Problem error={mistakes.other} />}
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

function Made({ made: { application, client_secret } }: { made: ApplicationMade }) {
  const [, navigate] = useLocation();
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack>
      <Text size="sm">
        <UntrustedText>{application.name}</UntrustedText> is registered. With this secret your server proves that it is
        the one asking.
      </Text>
      <ClientSecretOnce secret={client_secret ?? ""} isKept={isKept} onKept={setIsKept} />
      <Group justify="end">
        <Button disabled={!isKept} onClick={() => navigate(`/applications/${application.id}`)}>
          Go to the application
        </Button>
      </Group>
    </Stack>
  );
}
