import "./new-errand.css";
import { Anchor, Button, Checkbox, Code, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { useMe } from "../../api/account.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { useCreateErrand } from "../../api/executions.ts";
import { countOf } from "../../components/count.ts";
import { useDraftForm } from "../../components/draft-form.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";
import { ConnectionChoice, useConnectionChoice } from "./connection-choice.tsx";
import { EMPTY_DRAFT, type ErrandDraft } from "./errand-draft.ts";
import { RequestedDataField } from "./requested-data-field.tsx";
import { findFieldProblem, NOTHING_REQUESTED, toOutputSchema } from "./requested-fields.ts";
import { StepsPreview } from "./steps-preview.tsx";

const FIELDS = { prompt: "prompt", start_url: "startUrl", output_schema: "data", connection_id: "runner" } as const;

interface ErrandFormProps {
  initial?: ErrandDraft;
  /** Called when the errand was created, before the page changes. */
  onCreated?: () => void;
}

/** Says what to do, as whom, and what to return. */
export function ErrandForm({ initial = EMPTY_DRAFT, onCreated }: ErrandFormProps) {
  const applications = useQuery(applicationsQuery);
  if (applications.data === undefined) {
    if (applications.error === null) return <LoadingRows />;
    return <ErrorAlert error={applications.error} onRetry={() => void applications.refetch()} />;
  }
  if (!applications.data.some(({ connections }) => connections > 0)) {
    return <NobodyConnected applicationId={applications.data[0]?.id ?? null} />;
  }
  return <LoadedForm initial={initial} onCreated={onCreated} />;
}

function LoadedForm({ initial, onCreated }: { initial: ErrandDraft; onCreated: (() => void) | undefined }) {
  const me = useMe();
  const [, navigate] = useLocation();
  const create = useCreateErrand();
  const { form, draft, errors, change } = useDraftForm(initial, create.error, FIELDS);
  const choice = useConnectionChoice(draft.runner);
  const [problem, setProblem] = useState<string | null>(null);
  const { runner } = choice;
  function submit(event: FormEvent) {
    event.preventDefault();
    const found = findFieldProblem(draft.data);
    setProblem(found);
    if (found !== null || runner === null) return;
    create.mutate(
      {
        connection_id: runner.connectionId,
        prompt: draft.prompt,
        start_url: draft.startUrl.trim() === "" ? null : draft.startUrl.trim(),
        output_schema: toOutputSchema(draft.data),
        approval: draft.asksFirst ? "commits" : null,
      },
      {
        onSuccess({ id }) {
          onCreated?.();
          navigate(`/executions/${id}`);
        },
      },
    );
  }
  const hasOptions = initial.startUrl !== "" || initial.data !== NOTHING_REQUESTED;
  return (
    <form ref={form} onSubmit={submit} aria-label="New errand">
      <Stack gap="md">
        <Textarea
          label="What should be done?"
          placeholder="Search for kettle, open Brindle Kettle and tell me its price."
          autosize
          minRows={3}
          maxRows={14}
          required
          withAsterisk={false}
          value={draft.prompt}
          error={errors.byField.prompt}
          onChange={(event) => change({ prompt: event.currentTarget.value })}
          data-autofocus
        />
        {!me.has_model && <StepsPreview prompt={draft.prompt} onReplace={(prompt) => change({ prompt })} />}
        <ConnectionChoice
          choice={choice}
          error={errors.byField.runner}
          onChoose={(chosen) => change({ runner: chosen })}
        />
        <Checkbox
          label="Ask before anything is bought, sent or deleted"
          description={
            choice.isAskedAnyway
              ? "The application or the person wants this for every errand."
              : "The errand then waits until you or the person it runs as approves it."
          }
          checked={draft.asksFirst || choice.isAskedAnyway}
          disabled={choice.isAskedAnyway}
          onChange={(event) => change({ asksFirst: event.currentTarget.checked })}
        />
        <details className="errand-options" open={hasOptions || errors.byField.startUrl !== undefined || undefined}>
          <summary>More options</summary>
          <Stack gap="md" mt="sm">
            <TextInput
              label="Start URL"
              description={describeStart(choice.homeUrl)}
              type="url"
              inputMode="url"
              placeholder={choice.homeUrl ?? "https://shop.example/"}
              value={draft.startUrl}
              error={errors.byField.startUrl}
              onChange={(event) => change({ startUrl: event.currentTarget.value })}
            />
            <RequestedDataField
              data={draft.data}
              problem={problem ?? errors.byField.data ?? null}
              onChange={(data) => change({ data })}
            />
          </Stack>
        </details>
        {errors.other !== null && <ErrorAlert error={errors.other} />}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" className="errand-summary">
            {runner === null ? "Choose who it runs as." : `Runs as ${cleanText(runner.email)}.`}{" "}
            {countOf(me.execution_price, "credit")}, charged only if verified.
          </Text>
          <Button
            type="submit"
            leftSection={<Icon name="play" size={16} />}
            loading={create.isPending}
            disabled={runner === null || draft.prompt.trim() === ""}
          >
            Run errand
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function describeStart(homeUrl: string | null): string {
  if (homeUrl === null) return "Where the browser starts. Optional if your errand names the page.";
  return `Where the browser starts. Default: ${cleanText(homeUrl)}`;
}

/** An errand always runs as somebody. */
function NobodyConnected({ applicationId }: { applicationId: string | null }) {
  const { person } = useMe();
  return (
    <Stack gap="xs">
      {applicationId === null ? (
        <Text size="sm">
          An errand runs for somebody who is connected to one of your applications.{" "}
          <Anchor component={Link} href="/applications?new" inherit underline="always">
            Create an application
          </Anchor>{" "}
          first.
        </Text>
      ) : (
        <>
          <Text size="sm">
            An errand runs for somebody who is connected to one of your applications. Open the{" "}
            <Anchor component={Link} href={`/applications/${applicationId}`} inherit underline="always">
              authorization link
            </Anchor>{" "}
            to connect yourself, or use the command line:
          </Text>
          <Code block className="wrap-anywhere">
            {`bin/errand connect --application ${applicationId} --user ${person.email}`}
          </Code>
        </>
      )}
    </Stack>
  );
}
