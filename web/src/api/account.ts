import { queryOptions, useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import type {
  Me,
  OwnerBody,
  OwnerItem,
  OwnerList,
  PasswordBody,
  SessionList,
  Setup,
  SetupBody,
  Status,
} from "../../../src/contract/console/account.ts";
import { get, post, put, remove } from "./client.ts";

/** Polled, because every errand changes the balance. */
const BALANCE_MS = 30_000;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => get<Me>("/me", {}, signal),
  refetchInterval: BALANCE_MS,
});
export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: ({ signal }) => get<Setup>("/setup", {}, signal),
});

export function useMaybeMe(enabled: boolean) {
  return useQuery({ ...meQuery, enabled });
}

/** Only inside the shell, where the user is signed in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => get<SessionList>("/sessions", {}, signal),
});
export const ownersQuery = queryOptions({
  queryKey: ["owners"],
  queryFn: ({ signal }) => get<OwnerList>("/owners", {}, signal),
});
/** Expensive: it starts a browser and calls the model. Not refetched on every visit. */
export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => get<Status>("/status", {}, signal),
  staleTime: 60_000,
  refetchOnWindowFocus: false,
});

/** Creates the first owner's account and signs it in. */
export function useCreateOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SetupBody) => post("/setup", body),
    async onSuccess() {
      await client.fetchQuery({ ...meQuery, staleTime: 0 });
      await client.invalidateQueries(setupQuery);
    },
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: PasswordBody) => put("/password", body),
    onSuccess: () => client.invalidateQueries(sessionsQuery),
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => remove(`/sessions/${id}`),
    onSettled: () => client.invalidateQueries(sessionsQuery),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove("/sessions"),
    onSettled: () => client.invalidateQueries(sessionsQuery),
  });
}

export async function signOut(): Promise<void> {
  await post("/sign-out");
  window.location.assign("/sign-in?return_to=/console");
}

/** Signs out this browser last, so that a failure for the others is still shown. */
export async function signOutEverywhere(): Promise<void> {
  await remove("/sessions");
  await signOut();
}

export function useAddOwner() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: OwnerBody) => post<{ owner: OwnerItem }>("/owners", body),
    onSuccess: () => client.invalidateQueries(ownersQuery),
  });
}
