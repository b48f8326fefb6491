import { Badge, Code, Group, Stack, Text } from "@mantine/core";
import { Icon, type IconName } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { type Change, type Check, describeKind } from "./trace.ts";

const MARKS: Record<Check["verdict"], { icon: IconName; word: string }> = {
  satisfied: { icon: "check", word: "Passed" },
  contradicted: { icon: "cross", word: "Failed" },
  unknown: { icon: "warning", word: "Unclear" },
};

/** The individual checks of a verification. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Stack component="ul" gap={10} className="plain-list" aria-label="Checks">
      {checks.map(({ about, verdict, evidence }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a verdict never changes
        <li key={index} className="check" data-verdict={verdict}>
          <span className="check-mark">
            <Icon name={MARKS[verdict].icon} size={14} />
            <span className="visually-hidden">{MARKS[verdict].word}: </span>
          </span>
          <div>
            <Text size="sm">
              <UntrustedText>{about}</UntrustedText>
            </Text>
            {evidence !== "" && (
              <Text size="xs" c="dimmed">
                <UntrustedText>{evidence}</UntrustedText>
              </Text>
            )}
          </div>
        </li>
      ))}
    </Stack>
  );
}

/** Changes with method, URL and the site's response. */
export function Changes({ changes, showsCause = false }: { changes: readonly Change[]; showsCause?: boolean }) {
  return (
    <Stack component="ul" gap={6} className="plain-list" aria-label="Changes">
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only ever grows, and equal changes are different changes
        <li key={index}>
          <ChangeLine change={change} showsCause={showsCause} />
        </li>
      ))}
    </Stack>
  );
}

function ChangeLine({ change, showsCause }: { change: Change; showsCause: boolean }) {
  const { type, method, url, status, step, cause, isFirstParty, detail } = change;
  return (
    <Group gap={8} align="baseline" className="change-line">
      <Badge variant="default" tt="none" radius="sm" size="sm">
        {method === "" ? describeKind(type) : method}
      </Badge>
      {url !== "" && (
        <Code className="wrap-anywhere">
          <UntrustedText>{url}</UntrustedText>
        </Code>
      )}
      {status !== null && <ResponseStatus status={status} />}
      {detail !== "" && (
        <Text size="sm" span>
          <UntrustedText>{detail}</UntrustedText>
        </Text>
      )}
      {!isFirstParty && (
        <Text size="xs" span c="dimmed">
          on another site
        </Text>
      )}
      {showsCause && cause !== "" && (
        <Text size="xs" span c="dimmed">
          {step !== null && step > 0 && `Step ${step}: `}
          <UntrustedText>{cause}</UntrustedText>
        </Text>
      )}
    </Group>
  );
}

function ResponseStatus({ status }: { status: number }) {
  const isRejected = status >= 400;
  return (
    <Text size="sm" span c={isRejected ? "red" : "dimmed"}>
      {isRejected ? `rejected (${status})` : `accepted (${status})`}
    </Text>
  );
}
