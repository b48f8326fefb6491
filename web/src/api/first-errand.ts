import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ExecutionResponse } from "../../../src/contract/console/executions.ts";
import { post } from "./call.ts";
import { meQuery } from "./me.ts";

/** The demo application, a connection to it and a prompt on the demo shop, in one press. */
export function useStartFirstErrand(onStarted: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await post<ExecutionResponse>("/first-errand")).execution,
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
