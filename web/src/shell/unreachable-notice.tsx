import { Alert, Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { meQuery } from "../api/account.ts";
import { isOutage } from "../api/client.ts";

const RETRY_MS = 3_000;

/** Shown while the service is unreachable. It does not depend on the internet connection. */
export function UnreachableNotice() {
  const client = useQueryClient();
  const [isUnreachable, setIsUnreachable] = useState(false);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if (action.type === "success" && action.manual !== true) setIsUnreachable(false);
        if (action.type === "failed" || action.type === "error") setIsUnreachable(isOutage(action.error));
      }),
    [client],
  );
  useEffect(() => {
    if (!isUnreachable) return;
    const timer = setInterval(() => void client.refetchQueries(meQuery), RETRY_MS);
    return () => {
      clearInterval(timer);
      // Reconnected: the data on the page may be outdated.
      void client.invalidateQueries();
    };
  }, [isUnreachable, client]);
  if (!isUnreachable) return null;
  return (
    <Alert color="yellow" title="Can't reach Errand" role="status" mb="lg">
      This page may be out of date. It reconnects automatically when the service is available again.
    </Alert>
  );
}

/** Instead of the console, when the service has been unreachable since the page was opened. */
export function UnreachablePage({ onRetry }: { onRetry: () => void }) {
  useEffect(() => {
    const timer = setInterval(onRetry, RETRY_MS);
    return () => clearInterval(timer);
  }, [onRetry]);
  return (
    <Center h="60vh" p="md">
      <Stack align="center" gap="md" maw={420} role="status">
        <Loader aria-hidden="true" />
        <Title order={1} size="h3">
          Can't reach Errand
        </Title>
        <Text ta="center">
          The service isn't responding. This page tries again every few seconds and continues by itself.
        </Text>
        <Button variant="default" onClick={onRetry}>
          Try now
        </Button>
      </Stack>
    </Center>
  );
}
