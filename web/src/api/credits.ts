import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { EntryList, GrantBody, Usage } from "../../../src/contract/console/credits.ts";
import { meQuery, ownersQuery } from "./account.ts";
import { get, post } from "./client.ts";

const PAGE_SIZE = 50;
const CREDITS = ["credits"] as const;

export const entriesQuery = infiniteQueryOptions({
  queryKey: [...CREDITS, "entries"],
  queryFn: ({ pageParam, signal }) =>
    get<EntryList>("/credits/entries", { after: pageParam, limit: PAGE_SIZE }, signal),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ entries, has_more }) => (has_more ? entries.at(-1)?.id : undefined),
});

export function usageQuery(days: number) {
  return queryOptions({
    queryKey: [...CREDITS, "usage", days],
    queryFn: ({ signal }) => get<Usage>("/credits/usage", { days }, signal),
  });
}

export function useGrant() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: GrantBody) => post<{ balance: number }>("/credits/grants", body),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: CREDITS }),
        client.invalidateQueries(ownersQuery),
        client.invalidateQueries(meQuery),
      ]),
  });
}
