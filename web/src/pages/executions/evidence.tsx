import { Badge, Code, Group, Stack, Text } from "@mantine/core";
import { Icon, type IconName } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { type ChangeMade, type Check, tellKind } from "./trace.ts";

const MARKS: Record<Check["verdict"], { icon: IconName; word: string }> = {
  satisfied: { icon: "check", word: "Agreed" },
  contradicted: { icon: "cross", word: "Contradicted" },
  unknown: { icon: "warning", word: "Doubted" },
};

/** What the verifier looked at, one by one. */
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

/** What was changed: how, where, and what the site answered. */
export function Changes({ changes, isCauseTold = false }: { changes: readonly ChangeMade[]; isCauseTold?: boolean }) {
  return (
    <Stack component="ul" gap={6} className="plain-list" aria-label="Changes">
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only ever grows, and equal changes are different changes
        <li key={index}>
          <ChangeLine change={change} isCauseTold={isCauseTold} />
        </li>
      ))}
    </Stack>
  );
}

function ChangeLine({ change, isCauseTold }: { change: ChangeMade; isCauseTold: boolean }) {
  const { type, method, url, status, step, cause, isFirstParty, detail } = change;
  return (
    <Group gap={8} align="baseline" className="change-line">
      <Badge variant="default" tt="none" radius="sm" size="sm">
        {method === "" ? tellKind(type) : method}
      </Badge>
      {url !== "" && (
        <Code className="wrap-anywhere">
          <UntrustedText>{url}</UntrustedText>
        </Code>
      )}
      {status !== null && <Answer status={status} />}
      {detail !== "" && (
        <Text size="sm" span>
          <UntrustedText>{detail}</UntrustedText>
        </Text>
      )}
      {!isFirstParty && (
        <Text size="xs" span c="dimmed">
          at another site
        </Text>
      )}
      {isCauseTold && cause !== "" && (
        <Text size="xs" span c="dimmed">
          {step !== null && step > 0 && `step ${step}: `}
          <UntrustedText>{cause}</UntrustedText>
        </Text>
      )}
    </Group>
  );
}

function Answer({ status }: { status: number }) {
  const isRefused = status >= 400;
  return (
    <Text size="sm" span c={isRefused ? "red" : "dimmed"}>
      {isRefused ? `refused with ${status}` : `answered ${status}`}
    </Text>
  );
}
