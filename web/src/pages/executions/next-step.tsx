import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { Failure } from "../../../../src/contract/execution-error.ts";
import { useMe } from "../../api/account.ts";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { toDraft } from "../new-errand/errand-draft.ts";
import { useNewErrand } from "../new-errand/new-errand.tsx";
import { failureWords } from "./outcome.tsx";
import { RunAgainButton } from "./run-again.tsx";

interface NextStepProps {
  data: ConsoleExecution;
  /** Null while they are not known. */
  sideEffects: readonly unknown[] | null;
}

/** What to do about a failed errand, with the button or link that does it. */
export function NextStep({ data, sideEffects }: NextStepProps) {
  const failure = data.execution.terminal?.status ?? "";
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        What to do next
      </Text>
      <Text size="sm">{failureWords(failure).advice}</Text>
      {data.may_run_again ? (
        <Group gap="sm">
          <OwnerAction failure={failure as Failure} data={data} sideEffects={sideEffects} />
        </Group>
      ) : (
        <UserHint failure={failure} application={data.application.name} />
      )}
    </Stack>
  );
}

function OwnerAction({ failure, data, sideEffects }: NextStepProps & { failure: Failure }): ReactNode {
  const { application, execution } = data;
  const retry = <RunAgainButton data={data} sideEffects={sideEffects} label="Try again" />;
  switch (failure) {
    case "unsupported_prompt":
      return (
        <>
          <EditButton data={data} label="Rewrite it step by step" />
          <Setting name="ERRAND_MODEL">sets a language model, which understands free text.</Setting>
        </>
      );
    case "unverified":
    case "goal_unreachable":
      return <EditButton data={data} label="Change the errand" />;
    case "output_schema_mismatch":
      return <EditButton data={data} label="Change the requested data" />;
    case "reauthorization_required":
      return <PageLink href={`/applications/${application.id}`}>Open the authorization link</PageLink>;
    case "policy_violation":
      return <PageLink href={`/applications/${application.id}/settings`}>Change what the application may do</PageLink>;
    case "step_limit":
      return (
        <>
          <EditButton data={data} label="Make it smaller" />
          {execution.error?.code === "TOKEN_LIMIT" ? (
            <Setting name="ERRAND_MAX_TOKENS">limits the model tokens of one errand.</Setting>
          ) : (
            <Setting name="ERRAND_MAX_STEPS">limits the steps of one errand.</Setting>
          )}
        </>
      );
    case "timed_out":
      return (
        <>
          <EditButton data={data} label="Make it smaller" />
          <Setting name="ERRAND_MAX_MINUTES">limits the minutes of one errand.</Setting>
        </>
      );
    case "model_error":
    case "internal_error":
      return (
        <>
          {retry}
          <StatusLink />
        </>
      );
    default:
      return retry;
  }
}

/** Ends after which the same errand may simply be tried again: the button for it is beside the advice, and nowhere else. */
const RETRIED: ReadonlySet<string> = new Set<Failure>([
  "model_error",
  "internal_error",
  "worker_lost",
  "site_error",
  "blocked",
  "canceled",
  "approval_declined",
  "approval_expired",
  "interaction_expired",
]);

export function offersRetry(status: string | undefined): boolean {
  return status !== undefined && RETRIED.has(status);
}

function EditButton({ data, label }: { data: ConsoleExecution; label: string }) {
  const open = useNewErrand();
  return (
    <Button variant="light" onClick={() => open(toDraft(data))}>
      {label}
    </Button>
  );
}

function PageLink({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="light" component={Link} href={href}>
      {children}
    </Button>
  );
}

/** A setting of the installation, which its operator can change. */
function Setting({ name, children }: { name: string; children: string }) {
  return (
    <Text size="sm" c="dimmed">
      <Code>{name}</Code> {children}
    </Text>
  );
}

function StatusLink() {
  if (!useMe().is_operator) return null;
  return (
    <Anchor component={Link} href="/settings" size="sm">
      Check the status of this installation
    </Anchor>
  );
}

/** The application decides about errands; the user can reconnect it. */
function UserHint({ failure, application }: { failure: string; application: string }) {
  if (failure !== "reauthorization_required") return null;
  return (
    <Text size="sm">
      Open <UntrustedText>{application}</UntrustedText> and connect it again. You then sign in to the site once more.
    </Text>
  );
}
