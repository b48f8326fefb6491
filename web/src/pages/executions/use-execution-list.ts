import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { ExecutionItem, ExecutionList } from "../../../../src/contract/console/executions.ts";
import { listExecutions } from "../../api/executions.ts";
import { type ListFilter, toQuery } from "./list-filter.ts";

/** What is on the screen, by its place in the list. */
export interface Stretch {
  first: number;
  last: number;
}

const FIRST_PAGE = 50;
const FURTHER_PAGE = 200;
const LIVE_POLL_MS = 2_000;
const QUIET_POLL_MS = 15_000;
/** What is younger need not be asked for again. */
const FRESH_MS = 1_000;

type Pages = InfiniteData<ExecutionList, string | null>;

/** The list as far as it was scrolled. It is asked for once; then only its top and what goes on on the screen. */
export function useExecutionList(filter: ListFilter) {
  const client = useQueryClient();
  const onScreen = useRef<Stretch>({ first: 0, last: 0 });
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
      const answer = await listExecutions(
        { ...toQuery(filter, Date.now()), ...(after === null ? {} : { after }), limit },
        signal,
      );
      client.setQueryData<Pages>(queryKey, (data) => data && mergePages(data, after, answer));
    };
    await take(null, FIRST_PAGE);
    const known = flatten(client.getQueryData<Pages>(queryKey));
    const { first, last } = onScreen.current;
    const before = known[Math.max(first, FIRST_PAGE) - 1];
    if (before !== undefined && isGoingOn(known.slice(Math.max(first, FIRST_PAGE), last + 1))) {
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
      const { first, last } = onScreen.current;
      const seen = flatten(client.getQueryData<Pages>(queryKey)).slice(first, last + 1);
      return isGoingOn(seen) ? LIVE_POLL_MS : QUIET_POLL_MS;
    },
    staleTime: 0,
    retry: false,
  });
  return { list, executions, onScreen, pollError: poll.error };
}

function mergePages(data: Pages, after: string | null, answer: ExecutionList): Pages {
  const known = { executions: flatten(data), has_more: data.pages.at(-1)?.has_more ?? false };
  return { pages: [mergeAnswer(known, after, answer)], pageParams: [null] };
}

function flatten(data: Pages | undefined): ExecutionItem[] {
  return data?.pages.flatMap((page) => page.executions) ?? [];
}

function isGoingOn(executions: readonly ExecutionItem[]): boolean {
  return executions.some(({ terminal }) => terminal === null);
}

/**
 * Puts a fresh answer in the place of what was known of the same stretch: newer ones come, and those that do not fit the
 * filter any more go. Ids grow with time, so the order of ids is the order of the list. `after` null: from the top.
 */
function mergeAnswer(known: ExecutionList, after: string | null, answer: ExecutionList): ExecutionList {
  const last = answer.executions.at(-1)?.id ?? null;
  const end = answer.has_more ? last : null;
  // More has come than was asked for, so what lies between is not known: the list begins anew.
  if (after === null && end !== null && isGap(known.executions, end)) return answer;
  const above = after === null ? [] : known.executions.filter(({ id }) => id >= after);
  const below = end === null ? [] : known.executions.filter(({ id }) => id < end);
  return {
    executions: [...above, ...answer.executions, ...below],
    has_more: answer.has_more && (below.length === 0 || known.has_more),
  };
}

function isGap(known: readonly ExecutionItem[], end: string): boolean {
  const newest = known[0]?.id;
  return newest !== undefined && newest < end;
}
