import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { McpClientList, McpClientQuery } from "../../../src/contract/console/mcp-clients.ts";
import { get, remove } from "./client.ts";

export const mcpClientsQuery = queryOptions({
  queryKey: ["mcp-clients"],
  queryFn: async ({ signal }) => (await get<McpClientList>("/mcp-clients", {}, signal)).clients,
});

export function useRevokeMcpClient() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (query: McpClientQuery) => remove(`/mcp-clients?${new URLSearchParams(query)}`),
    onSuccess: () => client.invalidateQueries(mcpClientsQuery),
  });
}
