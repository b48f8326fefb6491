import { Button, Card, Group, PasswordInput, Radio, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ExecutionEvent } from "../../../../src/contract/execution-event.ts";
import type { Interaction, InteractionAction } from "../../../../src/contract/interaction.ts";
import { artifactUrl, interactionQuery, useAnswer } from "../../api/executions.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

const TITLES = { approval: "Approve this?", question: "A question for you", takeover: "A person is needed" };

/** What a running errand waits for, and the response to it. */
export function InteractionPanel({ executionId, events }: { executionId: string; events: readonly ExecutionEvent[] }) {
  const last = events.findLast(({ type }) => type === "interaction" || type === "execution.failed");
  return last?.data["state"] === "open" ? <OpenInteraction executionId={executionId} /> : null;
}

function OpenInteraction({ executionId }: { executionId: string }) {
  const { data: interaction } = useQuery(interactionQuery(executionId));
  const { mutate, isPending, error } = useAnswer(executionId);
  if (interaction === null || interaction === undefined) return null;
  const send = (action: InteractionAction, text?: string) =>
    mutate({ id: interaction.id, action, ...(text === undefined ? {} : { text }) });
  return (
    <Card withBorder component="section" aria-labelledby="interaction-title" className="interaction">
      <Stack gap="sm">
        <Title order={2} size="h4" id="interaction-title">
          {TITLES[interaction.kind]}
        </Title>
        <Text fw={600}>
          <UntrustedText>{interaction.message}</UntrustedText>
        </Text>
        <Facts interaction={interaction} />
        {interaction.picture !== null && (
          <img
            className="interaction-picture"
            src={artifactUrl(executionId, interaction.picture.artifact_id)}
            alt="The page as it is now"
          />
        )}
        {error !== null && <ErrorAlert error={error} />}
        {interaction.kind === "question" ? (
          <QuestionForm interaction={interaction} isPending={isPending} send={send} />
        ) : (
          <Decision interaction={interaction} isPending={isPending} send={send} />
        )}
        <Text size="sm" c="dimmed">
          Ends <RelativeTime at={interaction.expires_at} />.{" "}
          {interaction.kind === "approval" && "Without an answer, nothing is sent."}
        </Text>
      </Stack>
    </Card>
  );
}

function Facts({ interaction: { amount, recipient, items, values } }: { interaction: Interaction }) {
  const facts = [
    ...(amount === null ? [] : [{ name: "Total", value: formatAmount(amount) }]),
    ...(recipient === null ? [] : [{ name: "To", value: recipient }]),
    ...items.map((value) => ({ name: "Item", value })),
    ...values,
  ];
  if (facts.length === 0) return null;
  return (
    <dl className="interaction-facts">
      {facts.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may be equal, and the list never changes
        <div key={index}>
          <dt>
            <UntrustedText>{name}</UntrustedText>
          </dt>
          <dd>
            <UntrustedText>{value}</UntrustedText>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function formatAmount({ value, currency }: NonNullable<Interaction["amount"]>): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${value} ${currency}`;
  return value.toLocaleString("en", { style: "currency", currency });
}

interface FormProps {
  interaction: Interaction;
  isPending: boolean;
  send(action: InteractionAction, text?: string): void;
}

function Decision({ interaction: { kind }, isPending, send }: FormProps) {
  const isApproval = kind === "approval";
  return (
    <Group>
      <Button variant="default" disabled={isPending} onClick={() => send("decline")}>
        {isApproval ? "Decline" : "Stop the errand"}
      </Button>
      <Button loading={isPending} onClick={() => send(isApproval ? "approve" : "hand_back")}>
        {isApproval ? "Approve" : "Continue the errand"}
      </Button>
    </Group>
  );
}

function QuestionForm({ interaction: { options, is_secret }, isPending, send }: FormProps) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send("answer", text.trim());
  };
  const Field = is_secret ? PasswordInput : TextInput;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {options.length > 0 ? (
          <Radio.Group label="Your answer" value={text} onChange={setText}>
            <Stack gap="xs" mt="xs">
              {options.map((option) => (
                <Radio key={option} value={option} label={<UntrustedText>{option}</UntrustedText>} />
              ))}
            </Stack>
          </Radio.Group>
        ) : (
          <Field
            label={is_secret ? "Code" : "Your answer"}
            {...(is_secret ? { description: "It is used once and not kept." } : {})}
            autoComplete={is_secret ? "one-time-code" : "off"}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Group>
          <Button variant="default" disabled={isPending} onClick={() => send("decline")}>
            Can't answer
          </Button>
          <Button type="submit" loading={isPending} disabled={text.trim() === ""}>
            Send
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
