import { Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { meQuery } from "../api/account.ts";
import { ConsoleError } from "../api/client.ts";

const ASK_AGAIN_MS = 3_000;

/** Says that the service does not answer, and goes when it does again. Whether there is an internet is no matter here. */
export function UnreachableNotice() {
  const client = useQueryClient();
  const [isAway, setIsAway] = useState(false);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if (action.type === "success" && action.manual !== true) setIsAway(false);
        if (action.type === "failed" || action.type === "error") setIsAway(isUnreachable(action.error));
      }),
    [client],
  );
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void client.refetchQueries(meQuery), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      // It has come back: what was shown meanwhile may have changed.
      void client.invalidateQueries();
    };
  }, [isAway, client]);
  if (!isAway) return null;
  return (
    <Alert color="yellow" title="Errand does not answer" role="status" mb="lg">
      What you see is from before. This page goes on by itself when the service is back.
    </Alert>
  );
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ConsoleError && error.status === 0;
}
