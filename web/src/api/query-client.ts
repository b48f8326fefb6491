import { QueryClient } from "@tanstack/react-query";
import { ConsoleError } from "./console-error.ts";

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The service may be on this very machine, whatever the browser thinks of the internet.
      networkMode: "always",
      // What the service has refused stays refused; only a service that is away may come back.
      retry: (failures, error) =>
        failures < RETRIES && (!(error instanceof ConsoleError) || error.status === 0 || error.status >= 500),
    },
    mutations: { networkMode: "always" },
  },
});
