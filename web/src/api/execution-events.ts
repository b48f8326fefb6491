import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ExecutionEvent, ExecutionEventPage } from "../../../src/contract/execution-event.ts";
import { meQuery } from "./account.ts";
import { apiUrl, get } from "./client.ts";

const TYPES: readonly ExecutionEvent["type"][] = [
  "execution.queued",
  "execution.started",
  "step",
  "sign_in",
  "recipe",
  "recipe",
  "interaction",
  "verification",
  "execution.completed",
  "execution.failed",
];
const PAGE_SIZE = 500;
const POLL_MS = 2_000;
/** Polled even while streaming: some proxies buffer streams silently. */
const BACKUP_POLL_MS = 15_000;

/** The events of an execution as they happen: streamed, with polling as a fallback. */
export function useExecutionEvents(id: string) {
  const client = useQueryClient();
  const [isStreaming, setIsStreaming] = useState(false);
  const query = useQuery({
    ...eventsQuery(id, client),
    refetchInterval: ({ state }) => {
      if (state.data === undefined || hasEnded(state.data)) return false;
      return isStreaming ? BACKUP_POLL_MS : POLL_MS;
    },
  });
  const isFollowed = query.data !== undefined && !hasEnded(query.data);
  useEffect(() => (isFollowed ? follow(id, client, setIsStreaming) : undefined), [id, client, isFollowed]);
  const isOver = query.data !== undefined && hasEnded(query.data);
  useEffect(() => {
    if (isOver) void refreshEnded(id, client);
  }, [id, client, isOver]);
  return { events: query.data ?? [], error: query.error, isPending: query.isPending, refetch: query.refetch };
}

function hasEnded(events: readonly ExecutionEvent[]): boolean {
  const type = events.at(-1)?.type;
  return type === "execution.completed" || type === "execution.failed";
}

function eventsQuery(id: string, client: QueryClient) {
  const queryKey = ["executions", id, "events"];
  return queryOptions({
    queryKey,
    async queryFn({ signal }): Promise<ExecutionEvent[]> {
      let events = client.getQueryData<ExecutionEvent[]>(queryKey) ?? [];
      for (let hasMore = !hasEnded(events); hasMore; ) {
        const query = { after: events.at(-1)?.id ?? 0, limit: PAGE_SIZE };
        const page = await get<ExecutionEventPage>(`/executions/${encodeURIComponent(id)}/events`, query, signal);
        events = append(events, page.events);
        hasMore = page.has_more;
      }
      // The stream may have delivered more in the meantime.
      return append(events, client.getQueryData<ExecutionEvent[]>(queryKey) ?? []);
    },
  });
}

/** Event ids count up from 1, so already known events are skipped. */
function append(seen: ExecutionEvent[], more: readonly ExecutionEvent[]): ExecutionEvent[] {
  const last = seen.at(-1)?.id ?? 0;
  const news = more.filter(({ id }) => id > last);
  return news.length === 0 ? seen : [...seen, ...news];
}

/** Streams while the tab is visible and a slot is free. Otherwise polling has to do. */
function follow(id: string, client: QueryClient, onStreaming: (isStreaming: boolean) => void): () => void {
  let close: (() => void) | null = null;
  const update = () => {
    if (document.hidden) {
      close?.();
      close = null;
    } else close ??= openInSlot(() => listen(id, client, onStreaming));
  };
  update();
  document.addEventListener("visibilitychange", update);
  return () => {
    document.removeEventListener("visibilitychange", update);
    close?.();
  };
}

/** The browser reconnects after a dropped connection, but not after a non-stream response: polling takes over then. */
function listen(id: string, client: QueryClient, onStreaming: (isStreaming: boolean) => void): () => void {
  const queryKey = ["executions", id, "events"];
  const last = client.getQueryData<ExecutionEvent[]>(queryKey)?.at(-1)?.id ?? 0;
  const source = new EventSource(apiUrl(`/executions/${encodeURIComponent(id)}/events?after=${last}`));
  const receive = ({ data }: MessageEvent<string>) => {
    const event = JSON.parse(data) as ExecutionEvent;
    client.setQueryData<ExecutionEvent[]>(queryKey, (seen = []) => append(seen, [event]));
  };
  for (const type of TYPES) source.addEventListener(type, receive);
  source.addEventListener("open", () => onStreaming(true));
  source.addEventListener("error", () => onStreaming(false));
  return () => {
    source.close();
    onStreaming(false);
  };
}

async function refreshEnded(id: string, client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["executions", id], exact: true }),
    client.invalidateQueries({ queryKey: ["executions", id, "artifacts"] }),
    client.invalidateQueries(meQuery),
  ]);
}

/** Over HTTP/1.1 a browser opens six connections per host across all tabs, and a stream holds one: three are used at most. */
const SLOTS = ["errand-stream-1", "errand-stream-2", "errand-stream-3"];

/** Calls `open` if a slot is free. The returned function closes it and frees the slot. */
function openInSlot(open: () => () => void): () => void {
  // Locks exist on secure origins only. Elsewhere, closing streams of hidden tabs has to be enough.
  if (navigator.locks === undefined) return open();
  const end = new AbortController();
  void holdFreeSlot(() => stayOpen(open, end.signal));
  return () => end.abort();
}

async function holdFreeSlot(use: () => Promise<void>): Promise<void> {
  for (const slot of SLOTS) {
    const wasFree = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await use();
      return lock !== null;
    });
    if (wasFree) return;
  }
}

async function stayOpen(open: () => () => void, end: AbortSignal): Promise<void> {
  if (end.aborted) return;
  const close = open();
  await new Promise<void>((resolve) => {
    end.addEventListener("abort", () => {
      close();
      resolve();
    });
  });
}
