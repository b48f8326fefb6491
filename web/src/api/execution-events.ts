import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ExecutionEvent, ExecutionEventPage } from "../../../src/contract/execution-event.ts";
import { meQuery } from "./account.ts";
import { apiUrl, get } from "./client.ts";

const TYPES: readonly ExecutionEvent["type"][] = [
  "execution.queued",
  "execution.started",
  "step",
  "verification",
  "execution.completed",
  "execution.failed",
];
const PAGE_SIZE = 500;
const POLL_MS = 2_000;
/** Beside a stream that works; some proxies hold streams back without a word. */
const SELDOM_POLL_MS = 15_000;

/** What the run tells, as it tells it: by a stream, and by asking where no stream comes through. */
export function useExecutionEvents(id: string) {
  const client = useQueryClient();
  const [isStreaming, setIsStreaming] = useState(false);
  const query = useQuery({
    ...eventsQuery(id, client),
    refetchInterval: ({ state }) => {
      if (state.data === undefined || hasEnded(state.data)) return false;
      return isStreaming ? SELDOM_POLL_MS : POLL_MS;
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
      // The stream may have brought more meanwhile.
      return append(events, client.getQueryData<ExecutionEvent[]>(queryKey) ?? []);
    },
  });
}

/** Events are numbered 1, 2, 3, …: what has been seen is left out. */
function append(seen: ExecutionEvent[], more: readonly ExecutionEvent[]): ExecutionEvent[] {
  const last = seen.at(-1)?.id ?? 0;
  const news = more.filter(({ id }) => id > last);
  return news.length === 0 ? seen : [...seen, ...news];
}

/** By a stream while the page is looked at and few others have one; asking does for the rest. */
function follow(id: string, client: QueryClient, tellStreaming: (isStreaming: boolean) => void): () => void {
  let close: (() => void) | null = null;
  const look = () => {
    if (document.hidden) {
      close?.();
      close = null;
    } else close ??= openInSlot(() => listen(id, client, tellStreaming));
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    close?.();
  };
}

/** The browser comes back by itself after a broken line; after an answer that is no stream, asking has to do. */
function listen(id: string, client: QueryClient, tellStreaming: (isStreaming: boolean) => void): () => void {
  const queryKey = ["executions", id, "events"];
  const last = client.getQueryData<ExecutionEvent[]>(queryKey)?.at(-1)?.id ?? 0;
  const source = new EventSource(apiUrl(`/executions/${encodeURIComponent(id)}/events?after=${last}`));
  const hear = ({ data }: MessageEvent<string>) => {
    const event = JSON.parse(data) as ExecutionEvent;
    client.setQueryData<ExecutionEvent[]>(queryKey, (seen = []) => append(seen, [event]));
  };
  for (const type of TYPES) source.addEventListener(type, hear);
  source.addEventListener("open", () => tellStreaming(true));
  source.addEventListener("error", () => tellStreaming(false));
  return () => {
    source.close();
    tellStreaming(false);
  };
}

async function refreshEnded(id: string, client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["executions", id], exact: true }),
    client.invalidateQueries({ queryKey: ["executions", id, "artifacts"] }),
    client.invalidateQueries(meQuery),
  ]);
}

/** A browser has six connections to a host that speaks HTTP/1.1, for all its tabs together; a stream keeps one. */
const SLOTS = ["errand-stream-1", "errand-stream-2", "errand-stream-3"];

/** Opens what keeps a connection if a slot is free, else nothing. What it answers closes it and frees the slot. */
function openInSlot(open: () => () => void): () => void {
  // Only secure origins have locks; elsewhere, that hidden tabs close theirs has to do.
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
