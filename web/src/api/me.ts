import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { Me, Setup } from "../../../src/contract/console/account.ts";
import { get } from "./call.ts";

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: ({ signal }) => get<Me>("/me", {}, signal) });
export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: ({ signal }) => get<Setup>("/setup", {}, signal),
});

export function useMaybeMe() {
  return useQuery(meQuery);
}

/** Below the shell somebody is signed in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}
