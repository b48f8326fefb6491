import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ConnectionList } from "../../../src/contract/console/applications.ts";
import { get, post, remove } from "./client.ts";

const PAGE_SIZE = 50;
const CONNECTIONS = ["connections"] as const;

/** What may act for whoever is looking; `text` is part of an application's name. */
export function ownConnectionsQuery(text: string) {
  return listQuery("/connections", text);
}

/** Whoever has connected to an application; `text` is part of their e-mail address. */
export function connectionsOfQuery(applicationId: string, text: string) {
  return listQuery(`/applications/${applicationId}/connections`, text);
}

function listQuery(path: string, text: string) {
  return infiniteQueryOptions({
    queryKey: [...CONNECTIONS, path, text],
    queryFn: ({ pageParam, signal }) => get<ConnectionList>(path, { after: pageParam, limit: PAGE_SIZE, text }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ connections, has_more }) => (has_more ? connections.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

export type ConnectionActionId = "require-sign-in" | "delete-token" | "delete-sign-in" | "delete";

/** What the application's owner and the connection's user can do alike. */
export function useConnectionAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (deed: ConnectionActionId) => carryOut(id, deed),
    // Also when it was refused: somebody else may have been faster.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: CONNECTIONS }),
        client.invalidateQueries({ queryKey: ["applications"] }),
        client.invalidateQueries({ queryKey: ["executions"] }),
      ]),
  });
}

async function carryOut(id: string, deed: ConnectionActionId): Promise<void> {
  switch (deed) {
    case "require-sign-in":
      return post(`/connections/${id}/require-sign-in`);
    case "delete-token":
      return remove(`/connections/${id}/token`);
    case "delete-sign-in":
      return remove(`/connections/${id}/sign-in`);
    case "delete":
      return remove(`/connections/${id}`);
  }
}
