import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ConnectionList } from "../../../src/contract/console/applications.ts";
import type {
  ConsoleExecution,
  ExecutionList,
  ExecutionQuery,
  ExecutionResponse,
} from "../../../src/contract/console/executions.ts";
import type { Artifact, Execution } from "../../../src/contract/execution.ts";
import { addressOf, get, post } from "./call.ts";
import { meQuery } from "./me.ts";

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

export function artifactAddress(id: string, artifactId: string): string {
  return addressOf(artifactPath(id, artifactId));
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
    mutationFn: () => post<ExecutionResponse>(`/executions/${encodeURIComponent(id)}/cancel`),
    onSettled: () => client.invalidateQueries({ queryKey: ["executions", id], exact: true }),
  });
}

export function useRunAgain(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<Execution> =>
      (await post<ExecutionResponse>(`/executions/${encodeURIComponent(id)}/again`)).execution,
    onSuccess: () => client.invalidateQueries(meQuery),
  });
}
