import { Alert, Button, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useChangeApplication } from "../../api/applications.ts";
import { countOf } from "../../components/count.ts";
import { useDraftForm } from "../../components/draft-form.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { APPLICATION_FIELDS, ApplicationFields, findChanges, toDraft } from "./application-form.tsx";

export function SettingsTab({ application }: { application: ConsoleApplication }) {
  const saving = useChangeApplication(application.id);
  const { form, draft, errors, change, reset } = useDraftForm(toDraft(application), saving.error, APPLICATION_FIELDS);
  const changes = findChanges(application, draft);
  const isChanged = Object.keys(changes).length > 0;

  function save() {
    saving.mutate(changes, {
      onSuccess(saved) {
        reset(toDraft(saved));
        notifications.show({ message: "Settings saved. They apply from the next errand." });
      },
    });
  }

  function discard() {
    saving.reset();
    reset(toDraft(application));
  }

  return (
    <form
      ref={form}
      noValidate
      aria-label="Settings"
      className="on-ground"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) save();
      }}
    >
      <Stack maw={680} gap="lg">
        <ApplicationFields draft={draft} errors={errors.byField} isNew={false} onChange={change} />
        {changes.access === "all" && application.connections > 0 && (
          <Alert color="yellow" title="People need to agree again" role="status">
            People agreed to read-only access. Errands for {countOf(application.connections, "connection")} won't run
            until they agree to the new access.
          </Alert>
        )}
        {errors.other !== null && <ErrorAlert error={errors.other} />}
        <Group justify="end" className="form-end">
          <Button variant="default" disabled={!isChanged} onClick={discard}>
            Discard
          </Button>
          <Button type="submit" disabled={!isChanged} loading={saving.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
