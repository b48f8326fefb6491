import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type {
  ApplicationChanges,
  ApplicationList,
  ConsoleApplication,
  CreatedApplication,
  NewApplicationBody,
} from "../../../src/contract/console/applications.ts";
import type { ExecutionList } from "../../../src/contract/console/executions.ts";
import { get, patch, post, remove } from "./client.ts";

const APPLICATIONS = ["applications"] as const;
const LATEST = 8;

export const applicationsQuery = queryOptions({
  queryKey: [...APPLICATIONS, "list"],
  queryFn: async ({ signal }) => (await get<ApplicationList>("/applications", {}, signal)).applications,
});

export function applicationQuery(id: string) {
  return queryOptions({
    queryKey: [...APPLICATIONS, "one", id],
    queryFn: async ({ signal }) =>
      (await get<{ application: ConsoleApplication }>(`/applications/${encodeURIComponent(id)}`, {}, signal))
        .application,
  });
}

/** The latest few; the errands page lists all of them. */
export function latestExecutionsQuery(applicationId: string) {
  return queryOptions({
    queryKey: ["executions", "latest", applicationId],
    queryFn: async ({ signal }) =>
      (await get<ExecutionList>("/executions", { application_id: applicationId, limit: LATEST }, signal)).executions,
  });
}

export function useCreateApplication() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewApplicationBody) => post<CreatedApplication>("/applications", body),
    onSuccess({ application }) {
      client.setQueryData(applicationQuery(application.id).queryKey, application);
      return client.invalidateQueries(applicationsQuery);
    },
  });
}

export function useChangeApplication(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: ApplicationChanges) =>
      (await patch<{ application: ConsoleApplication }>(`/applications/${id}`, changes)).application,
    async onSuccess(application) {
      client.setQueryData(applicationQuery(id).queryKey, application);
      await Promise.all([
        client.invalidateQueries(applicationsQuery),
        client.invalidateQueries({ queryKey: ["connections"] }),
      ]);
    },
  });
}

/** Returns the new secret. It is shown once, so it is not cached. */
export function useRotateSecret(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await post<{ client_secret: string }>(`/applications/${id}/secrets`)).client_secret,
    gcTime: 0,
    onSuccess: () => client.invalidateQueries(applicationQuery(id)),
  });
}

export function useEndOldSecret(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(`/applications/${id}/secrets/old`),
    onSettled: () => client.invalidateQueries(applicationQuery(id)),
  });
}

export function useDeleteApplication(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => remove(`/applications/${id}`, { name }),
    // Not the application itself: the page showing it is about to close, and a refetch would return 404.
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries(applicationsQuery),
        client.invalidateQueries({ queryKey: ["connections"] }),
        client.invalidateQueries({ queryKey: ["executions"] }),
      ]),
  });
}
