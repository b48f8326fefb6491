import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { Me, Setup } from "../../../src/contract/console/account.ts";
import { get } from "./call.ts";

/** Asked for now and then: the balance falls with every run, whoever has asked for it. */
const BALANCE_MS = 30_000;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => get<Me>("/me", {}, signal),
  refetchInterval: BALANCE_MS,
});
export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: ({ signal }) => get<Setup>("/setup", {}, signal),
});

export function useMaybeMe(enabled: boolean) {
  return useQuery({ ...meQuery, enabled });
}

/** Below the shell somebody is signed in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}
