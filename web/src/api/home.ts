import { queryOptions } from "@tanstack/react-query";
import type { ApplicationList, ConnectionList } from "../../../src/contract/console/applications.ts";
import { get } from "./call.ts";
import { listExecutions } from "./executions.ts";

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
