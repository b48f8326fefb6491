import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { ConnectionList, CredentialsBody, StoredCredentials } from "../../../src/contract/console/applications.ts";
import { get, post, put, remove } from "./client.ts";

const PAGE_SIZE = 50;
/** As many as a summary or a filter offers. */
const NEWEST = 100;
const CONNECTIONS = ["connections"] as const;

/** The apps connected to the signed-in user; `text` matches part of an application's name. */
export function ownConnectionsQuery(text: string) {
  return listQuery("/connections", text);
}

/** The users connected to an application; `text` matches part of their email address. */
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

/** The newest connections of the signed-in user, without paging. */
export const newestOwnConnectionsQuery = queryOptions({
  queryKey: [...CONNECTIONS, "newest"],
  queryFn: ({ signal }) => get<ConnectionList>("/connections", { limit: NEWEST }, signal),
});

/** The newest connections of an owned application, without paging; `text` matches part of an email address. */
export function newestConnectionsOfQuery(applicationId: string, text = "") {
  return queryOptions({
    queryKey: [...CONNECTIONS, "of", applicationId, text],
    queryFn: ({ signal }) =>
      get<ConnectionList>(
        `/applications/${encodeURIComponent(applicationId)}/connections`,
        { limit: NEWEST, text },
        signal,
      ),
    placeholderData: (previous, query) => (query?.queryKey.includes(applicationId) ? previous : undefined),
  });
}

/** Checks a sign-in that was made elsewhere on the site, and saves it. */
export function useImportSignIn(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ file, url }: { file: File; url: string }) =>
      post(`/connections/${id}/sign-in`, {
        storage_state: readJson(await file.text()),
        ...(url === "" ? {} : { url }),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: CONNECTIONS }),
  });
}

/** Stores credentials, so that the sign-in renews itself. */
export function useStoreCredentials(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CredentialsBody) => put<StoredCredentials>(`/connections/${id}/credentials`, body),
    // What was entered must not stay in memory.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: CONNECTIONS }),
  });
}

export function useDeleteCredentials(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(`/connections/${id}/credentials`),
    onSettled: () => client.invalidateQueries({ queryKey: CONNECTIONS }),
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The file is not JSON. Choose a storage state that Playwright saved.");
  }
}

export type ConnectionActionId = "stop" | "disconnect" | "delete";

/** The actions available to both the application's owner and the connection's user. */
export function useConnectionAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: ConnectionActionId) => send(id, action),
    // Also after an error: someone else may have changed the connection first.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: CONNECTIONS }),
        client.invalidateQueries({ queryKey: ["applications"] }),
        client.invalidateQueries({ queryKey: ["executions"] }),
      ]),
  });
}

async function send(id: string, action: ConnectionActionId): Promise<void> {
  switch (action) {
    case "stop":
    case "disconnect":
      return post(`/connections/${id}/${action}`);
    case "delete":
      return remove(`/connections/${id}`);
  }
}
