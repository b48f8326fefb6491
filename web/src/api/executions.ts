import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type {
  ConsoleExecution,
  ConsoleLiveLink,
  ExecutionList,
  ExecutionQuery,
  ExecutionResponse,
  NewExecutionBody,
  StepsReading,
} from "../../../src/contract/console/executions.ts";
import type { Artifact, Execution } from "../../../src/contract/execution.ts";
import type { AnswerInteraction, Interaction } from "../../../src/contract/interaction.ts";
import { meQuery } from "./account.ts";
import { apiUrl, get, post } from "./client.ts";

const RUNNING_POLL_MS = 5_000;
const RECENT = 6;
const RECENT_POLL_MS = 10_000;

export function listExecutions(query: ExecutionQuery, signal?: AbortSignal): Promise<ExecutionList> {
  return get<ExecutionList>("/executions", query, signal);
}

/** For the home page. */
export const recentExecutionsQuery = queryOptions({
  queryKey: ["executions", "recent"],
  queryFn: async ({ signal }) => (await listExecutions({ limit: RECENT }, signal)).executions,
  refetchInterval: RECENT_POLL_MS,
});

/** Events bring updates sooner. Polling covers the case that they do not arrive. */
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

/** Where each extracted value was found. Disabled without a provenance artifact. It never changes. */
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

const INTERACTION_POLL_MS = 2_000;

/** What a running errand asks; null when it asks nothing. */
export function interactionQuery(id: string) {
  return queryOptions({
    queryKey: ["executions", id, "interaction"],
    queryFn: async ({ signal }) =>
      (await get<{ interaction: Interaction | null }>(`/executions/${encodeURIComponent(id)}/interaction`, {}, signal))
        .interaction,
    refetchInterval: INTERACTION_POLL_MS,
  });
}

export function useAnswer(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: AnswerInteraction) =>
      post<{ interaction: Interaction }>(`/executions/${encodeURIComponent(id)}/interaction`, answer),
    onSettled: () => client.invalidateQueries({ queryKey: ["executions", id] }),
  });
}

const LINK_FRESH_MS = 10 * 60_000;

/** The page that shows the errand's browser. A link that is about to expire is replaced when the tab gets the focus. */
export function liveLinkQuery(id: string) {
  return queryOptions({
    queryKey: ["executions", id, "live"],
    queryFn: () => post<ConsoleLiveLink>(`/executions/${encodeURIComponent(id)}/live`),
    staleTime: LINK_FRESH_MS,
    gcTime: 0,
  });
}

export function useCancel(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<ExecutionResponse>(`/executions/${encodeURIComponent(id)}/cancel`),
    onSettled: () => client.invalidateQueries({ queryKey: ["executions", id], exact: true }),
  });
}

export function useCreateErrand() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewExecutionBody): Promise<Execution> =>
      (await post<ExecutionResponse>("/executions", body)).execution,
    onSuccess: () =>
      Promise.all([client.invalidateQueries({ queryKey: ["executions"] }), client.invalidateQueries(meQuery)]),
  });
}

/** What the prompt means where no model is configured. */
export function stepsQuery(prompt: string) {
  return queryOptions({
    queryKey: ["steps", prompt],
    queryFn: () => post<StepsReading>("/steps", { prompt }),
    enabled: prompt !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
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

/** Creates the demo application and a connection, and starts an errand on the demo shop. */
export function useStartFirstErrand(onStarted: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await post<ExecutionResponse>("/first-errand")).execution,
    onSuccess({ id }) {
      // Before the refetches, which replace the page that holds the button.
      onStarted(id);
      return Promise.all([
        client.invalidateQueries({ queryKey: ["executions"] }),
        client.invalidateQueries({ queryKey: ["applications"] }),
        client.invalidateQueries(meQuery),
      ]);
    },
  });
}
