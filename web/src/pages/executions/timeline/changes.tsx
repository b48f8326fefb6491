import { Badge, Code, Group, Stack, Text } from "@mantine/core";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { type ChangeMade, tellKind } from "./change-made.ts";

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
          <ForeignText>{url}</ForeignText>
        </Code>
      )}
      {status !== null && <Answer status={status} />}
      {detail !== "" && (
        <Text size="sm" span>
          <ForeignText>{detail}</ForeignText>
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
          <ForeignText>{cause}</ForeignText>
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
