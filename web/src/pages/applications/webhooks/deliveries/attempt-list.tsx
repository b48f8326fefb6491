import { Text } from "@mantine/core";
import type { WebhookDelivery } from "../../../../../../src/contract/webhook.ts";
import { tellDuration } from "../../../../parts/duration.tsx";
import { ForeignText } from "../../../../parts/foreign-text.tsx";
import { Moment } from "../../../../parts/moment.tsx";
import { countOf } from "../../count-of.ts";

type Attempt = WebhookDelivery["attempts"][number];

/** The newest in full; the others for whoever opens them. */
export function AttemptList({ delivery: { attempts } }: { delivery: WebhookDelivery }) {
  const [newest, ...others] = attempts;
  if (newest === undefined) return null;
  return (
    <div className="attempts">
      <ul className="plain-list" aria-label="The newest attempt">
        <AttemptLine attempt={newest} />
      </ul>
      {others.length > 0 && (
        <details className="disclosure">
          <summary>{countOf(others.length, "earlier attempt")}</summary>
          <ul className="plain-list" aria-label="Earlier attempts">
            {others.map((attempt) => (
              <AttemptLine key={attempt.at} attempt={attempt} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function AttemptLine({ attempt: { at, status, duration_ms, error } }: { attempt: Attempt }) {
  return (
    <li className="attempt">
      <Text span size="sm" fw={600} className="figures" c={error === null ? "teal" : "red"}>
        {status ?? "No answer"}
      </Text>
      <Text span size="sm" className="attempt-words">
        {error === null ? "It has the message." : <ForeignText>{error}</ForeignText>}
      </Text>
      <Text span size="sm" c="dimmed" className="attempt-when">
        <Moment at={at} />, {tellTook(duration_ms)}
      </Text>
    </li>
  );
}

function tellTook(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : tellDuration(durationMs);
}
