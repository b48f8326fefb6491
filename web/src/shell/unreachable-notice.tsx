import { Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { meQuery } from "../api/account.ts";
import { ConsoleError } from "../api/client.ts";

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
        if (action.type === "failed" || action.type === "error") setIsUnreachable(isNetworkError(action.error));
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

function isNetworkError(error: unknown): boolean {
  return error instanceof ConsoleError && error.status === 0;
}
