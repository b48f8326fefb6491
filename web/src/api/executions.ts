import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Artifact } from "../../../src/contract/artifact.ts";
import type { ApplicationList, ConnectionList } from "../../../src/contract/console/applications.ts";
import type {
  ConsoleExecution,
  ExecutionAnswer,
  ExecutionList,
  ExecutionQuery,
} from "../../../src/contract/console/executions.ts";
import type { Execution } from "../../../src/contract/execution.ts";
import { meQuery } from "./account.ts";
import { apiUrl, get, post } from "./client.ts";

const RUNNING_POLL_MS = 5_000;
const CONNECTIONS_OFFERED = 100;

export function listExecutions(query: ExecutionQuery, signal?: AbortSignal): Promise<ExecutionList> {
  return get<ExecutionList>("/executions", query, signal);
}

/** Its events tell more and sooner; this is asked now and then in case that they do not come through. */
export function executionQuery(id: string) {
  return queryOptions({
    queryKey: ["executions", id],
    queryFn: ({ signal }) => get<ConsoleExecution>(`/executions/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.execution.terminal === null ? RUNNING_POLL_MS : false),
  });
}

export function artifactsQuery(id: string) {
  return queryOptions({
    queryKey: ["executions", id, "artifacts"],
    queryFn: ({ signal }) =>
      get<{ artifacts: Artifact[] }>(`/executions/${encodeURIComponent(id)}/artifacts`, {}, signal),
  });
}

/** Where each extracted value stood; null without an artifact that says so. It never changes. */
export function provenanceQuery(id: string, artifactId: string | null) {
  return queryOptions({
    queryKey: ["executions", id, "provenance", artifactId],
    queryFn: ({ signal }) => get<unknown>(artifactPath(id, artifactId ?? ""), {}, signal),
    enabled: artifactId !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function artifactUrl(id: string, artifactId: string): string {
  return apiUrl(artifactPath(id, artifactId));
}

function artifactPath(id: string, artifactId: string): string {
  return `/executions/${encodeURIComponent(id)}/artifacts/${encodeURIComponent(artifactId)}`;
}

/** Of one's own application: whose executions there may be. */
export function offeredConnectionsQuery(applicationId: string) {
  return queryOptions({
    queryKey: ["connections", "of", applicationId],
    queryFn: ({ signal }) =>
      get<ConnectionList>(
        `/applications/${encodeURIComponent(applicationId)}/connections`,
        { limit: CONNECTIONS_OFFERED },
        signal,
      ),
  });
}

export function useCancel(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<ExecutionAnswer>(`/executions/${encodeURIComponent(id)}/cancel`),
    onSettled: () => client.invalidateQueries({ queryKey: ["executions", id], exact: true }),
  });
}

export function useRunAgain(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<Execution> =>
      (await post<ExecutionAnswer>(`/executions/${encodeURIComponent(id)}/again`)).execution,
    onSuccess: () => client.invalidateQueries(meQuery),
  });
}

/** The demo application, a connection to it and a prompt on the demo shop, in one press. */
export function useStartFirstErrand(onStarted: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await post<ExecutionAnswer>("/first-errand")).execution,
    onSuccess({ id }) {
      // First, and not where it was pressed: what is asked for anew changes the page there.
      onStarted(id);
      return Promise.all([
        client.invalidateQueries({ queryKey: ["executions"] }),
        client.invalidateQueries({ queryKey: ["applications"] }),
        client.invalidateQueries(meQuery),
      ]);
    },
  });
}

const RECENT = 6;
const NEWEST = 100;
const REFRESH_MS = 10_000;

export const recentExecutionsQuery = queryOptions({
  queryKey: ["executions", "recent"],
  queryFn: async ({ signal }) => (await listExecutions({ limit: RECENT }, signal)).executions,
  refetchInterval: REFRESH_MS,
});

export const ownedApplicationsQuery = queryOptions({
  queryKey: ["applications", "owned"],
  queryFn: ({ signal }) => get<ApplicationList>("/applications", {}, signal),
});

/** Of the person themselves: what acts for them. */
export const ownConnectionsQuery = queryOptions({
  queryKey: ["connections", "newest"],
  queryFn: ({ signal }) => get<ConnectionList>("/connections", { limit: NEWEST }, signal),
});
