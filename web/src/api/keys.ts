import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, KeyList, NewKeyBody } from "../../../src/contract/console/keys.ts";
import { get, post, remove } from "./client.ts";

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async ({ signal }) => (await get<KeyList>("/keys", {}, signal)).keys,
});

export function useCreateKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewKeyBody) => post<CreatedKey>("/keys", body),
    onSuccess: () => client.invalidateQueries(keysQuery),
  });
}

export function useRevokeKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => remove(`/keys/${id}`),
    onSuccess: () => client.invalidateQueries(keysQuery),
  });
}
