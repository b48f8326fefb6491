import { type ComponentType, lazy } from "react";
import { setupQuery } from "../api/account.ts";
import { isOutage, queryClient } from "../api/client.ts";

const RETRY_MS = 3_000;
/** A second failure within this time is not an outage: the file is broken or gone for good. */
const RELOAD_AGAIN_MS = 15_000;
const RELOADED_AT = "errand-reloaded-at";

/** A component that is loaded when it is first shown, also if the service is unreachable at that moment. */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load().catch(reloadWhenReachable) }));
}

/**
 * Waits until the service responds, then reloads: the browser remembers failed files, and after an update they have other
 * names. Nothing is lost, because the page was never shown.
 */
async function reloadWhenReachable(error: unknown): Promise<never> {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_AGAIN_MS) throw error;
  await untilReachable();
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  window.location.reload();
  return new Promise(() => {});
}

/** Its failures make the shell show that the service is unreachable. */
async function untilReachable(): Promise<void> {
  for (;;) {
    try {
      await queryClient.fetchQuery({ ...setupQuery, staleTime: 0, retry: false });
      return;
    } catch (error) {
      if (!isOutage(error)) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
