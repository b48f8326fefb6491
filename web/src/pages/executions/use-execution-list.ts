import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { ExecutionItem, ExecutionList } from "../../../../src/contract/console/executions.ts";
import { listExecutions } from "../../api/executions.ts";
import { type ListFilter, toQuery } from "./list-filter.ts";

/** The visible rows, by index. */
export interface VisibleRange {
  first: number;
  last: number;
}

const FIRST_PAGE = 50;
const FURTHER_PAGE = 200;
const LIVE_POLL_MS = 2_000;
const QUIET_POLL_MS = 15_000;
/** Newer data is not refetched. */
const FRESH_MS = 1_000;

type Pages = InfiniteData<ExecutionList, string | null>;

/** The list as far as it was scrolled. Each page is loaded once; polling refreshes only the top and the visible rows. */
export function useExecutionList(filter: ListFilter) {
  const client = useQueryClient();
  const visible = useRef<VisibleRange>({ first: 0, last: 0 });
  const queryKey = ["execution-list", filter];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      listExecutions(
        {
          ...toQuery(filter, Date.now()),
          ...(pageParam === null ? {} : { after: pageParam }),
          limit: pageParam === null ? FIRST_PAGE : FURTHER_PAGE,
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ has_more, executions }) => (has_more ? (executions.at(-1)?.id ?? null) : null),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const executions = useMemo(() => list.data?.pages.flatMap((page) => page.executions) ?? [], [list.data]);

  async function refresh(signal: AbortSignal): Promise<void> {
    const take = async (after: string | null, limit: number) => {
      const page = await listExecutions(
        { ...toQuery(filter, Date.now()), ...(after === null ? {} : { after }), limit },
        signal,
      );
      client.setQueryData<Pages>(queryKey, (data) => data && mergeIntoPages(data, after, page));
    };
    await take(null, FIRST_PAGE);
    const known = flatten(client.getQueryData<Pages>(queryKey));
    const { first, last } = visible.current;
    const before = known[Math.max(first, FIRST_PAGE) - 1];
    if (before !== undefined && hasUnfinished(known.slice(Math.max(first, FIRST_PAGE), last + 1))) {
      await take(before.id, Math.min(last - first + 1, FURTHER_PAGE));
    }
  }

  const poll = useQuery({
    queryKey: ["execution-list-poll", filter],
    async queryFn({ signal }) {
      const { dataUpdatedAt = 0 } = client.getQueryState(queryKey) ?? {};
      if (Date.now() - dataUpdatedAt > FRESH_MS) await refresh(signal);
      return Date.now();
    },
    enabled: list.data !== undefined,
    refetchInterval: () => {
      const { first, last } = visible.current;
      const shown = flatten(client.getQueryData<Pages>(queryKey)).slice(first, last + 1);
      return hasUnfinished(shown) ? LIVE_POLL_MS : QUIET_POLL_MS;
    },
    staleTime: 0,
    retry: false,
  });
  return { list, executions, visible, pollError: poll.error };
}

function mergeIntoPages(data: Pages, after: string | null, page: ExecutionList): Pages {
  const known = { executions: flatten(data), has_more: data.pages.at(-1)?.has_more ?? false };
  return { pages: [mergePage(known, after, page)], pageParams: [null] };
}

function flatten(data: Pages | undefined): ExecutionItem[] {
  return data?.pages.flatMap((page) => page.executions) ?? [];
}

function hasUnfinished(executions: readonly ExecutionItem[]): boolean {
  return executions.some(({ terminal }) => terminal === null);
}

/**
 * Replaces a range of the known list with a fresh page. Executions that no longer match the filter disappear.
 * Ids grow with time, so sorting by id is the order of the list. `after` null: the page starts at the top.
 */
function mergePage(known: ExecutionList, after: string | null, page: ExecutionList): ExecutionList {
  const last = page.executions.at(-1)?.id ?? null;
  const end = page.has_more ? last : null;
  // More new executions than fit the page: there is a gap below it, so the list starts over.
  if (after === null && end !== null && isGap(known.executions, end)) return page;
  const above = after === null ? [] : known.executions.filter(({ id }) => id >= after);
  const below = end === null ? [] : known.executions.filter(({ id }) => id < end);
  return {
    executions: [...above, ...page.executions, ...below],
    has_more: page.has_more && (below.length === 0 || known.has_more),
  };
}

function isGap(known: readonly ExecutionItem[], end: string): boolean {
  const newest = known[0]?.id;
  return newest !== undefined && newest < end;
}
