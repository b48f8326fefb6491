import { Box, Button, Group, Stack, Text, ThemeIcon } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { StatusCheck } from "../../../../src/contract/console/account.ts";
import { statusQuery } from "../../api/account.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Icon, type IconName } from "../../components/icons.tsx";
import { Panel } from "../../components/page.tsx";

const MARKS: Record<StatusCheck["state"], { icon: IconName; color: string; label: string }> = {
  ok: { icon: "check", color: "teal", label: "OK" },
  warning: { icon: "warning", color: "yellow", label: "Warning" },
  failed: { icon: "cross", color: "red", label: "Failed" },
};

/** Health checks of the installation, with advice for those that fail. */
export function StatusPanel() {
  const { data, error, refetch, isFetching } = useQuery(statusQuery);
  return (
    <Panel
      title="System status"
      more={
        <Button size="compact-sm" variant="subtle" loading={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      <Stack component="ul" gap={0} className="plain-list ruled">
        {data?.checks.map((check) => (
          <CheckRow key={check.name} check={check} />
        ))}
      </Stack>
    </Panel>
  );
}

function CheckRow({ check: { name, state, message, advice } }: { check: StatusCheck }) {
  const { icon, color, label } = MARKS[state];
  return (
    <Group component="li" wrap="nowrap" align="start" gap="sm" py="xs">
      <ThemeIcon variant="light" color={color} size={24} radius="xl" role="img" aria-label={label}>
        <Icon name={icon} size={14} />
      </ThemeIcon>
      <Box miw={0}>
        <Text size="sm" fw={500}>
          {name.slice(0, 1).toUpperCase() + name.slice(1)}
        </Text>
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          {message}
        </Text>
        {advice !== null && (
          <Text size="sm" className="wrap-anywhere">
            {advice}
          </Text>
        )}
      </Box>
    </Group>
  );
}
