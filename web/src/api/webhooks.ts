import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type {
  ConsoleDeliveryPage,
  ConsoleWebhookList,
  ConsoleWebhookResponse,
} from "../../../src/contract/console/applications.ts";
import type {
  CreateWebhook,
  UpdateWebhook,
  WebhookDelivery,
  WebhookWithSecret,
} from "../../../src/contract/webhook.ts";
import { ConsoleError, get, patch, post, remove } from "./client.ts";

/** Identifies one webhook. */
export interface WebhookRef {
  applicationId: string;
  webhookId: string;
}

const PAGE_SIZE = 25;
const IDLE_POLL_MS = 5_000;
/** A receiver can disable the webhook at any time, and its page should show that soon. */
const PAGE_POLL_MS = 3_000;
const DUE_POLL_MS = 700;
/** Allows for clock differences. */
const DUE_BEFORE_MS = 2_000;
/** A delivery overdue for longer is not worth polling for. */
const DUE_FOR_MS = 60_000;

export function webhooksQuery(applicationId: string) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "list"],
    queryFn: async ({ signal }) => (await get<ConsoleWebhookList>(pathTo(applicationId), {}, signal)).webhooks,
    refetchInterval: IDLE_POLL_MS,
  });
}

export function webhookQuery({ applicationId, webhookId }: WebhookRef) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "one", webhookId],
    queryFn: async ({ signal }) =>
      (await get<ConsoleWebhookResponse>(pathTo(applicationId, webhookId), {}, signal)).webhook,
    refetchInterval: ({ state }) => (isGone(state.error) ? false : PAGE_POLL_MS),
  });
}

export function latestDeliveryQuery({ applicationId, webhookId }: WebhookRef) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "deliveries", webhookId, "latest"],
    queryFn: async ({ signal }) =>
      (await get<ConsoleDeliveryPage>(`${pathTo(applicationId, webhookId)}/deliveries`, { limit: 1 }, signal))
        .deliveries[0] ?? null,
    refetchInterval: IDLE_POLL_MS,
  });
}

/** The delivery log, newest first. Polled often while a delivery is due. */
export function deliveriesQuery({ applicationId, webhookId }: WebhookRef, isUndeliveredOnly: boolean) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(applicationId), "deliveries", webhookId, isUndeliveredOnly ? "undelivered" : "all"],
    queryFn: ({ pageParam, signal }) =>
      get<ConsoleDeliveryPage>(
        `${pathTo(applicationId, webhookId)}/deliveries`,
        { after: pageParam, limit: PAGE_SIZE, only: isUndeliveredOnly ? "undelivered" : undefined },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ deliveries, has_more }) => (has_more ? deliveries.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => nextPollMs(state.data),
  });
}

/** Whether an attempt is in progress or about to start. */
export function isDue({ state, next_attempt_at, created_at }: WebhookDelivery, nowMs: number): boolean {
  if (state !== "pending") return false;
  const dueForMs = nowMs - Date.parse(next_attempt_at ?? created_at);
  return dueForMs > -DUE_BEFORE_MS && dueForMs < DUE_FOR_MS;
}

/** How long until something may have changed. */
function nextPollMs(log: InfiniteData<ConsoleDeliveryPage> | undefined): number {
  const deliveries = log?.pages.flatMap((page) => page.deliveries) ?? [];
  if (deliveries.some((delivery) => isDue(delivery, Date.now()))) return DUE_POLL_MS;
  const waitsMs = deliveries
    .map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? "") - Date.now())
    .filter((waitMs) => waitMs > 0);
  return Math.min(IDLE_POLL_MS, ...waitsMs);
}

/** Returns the webhook and its secret. The secret is shown once, so it is not cached. */
export function useCreateWebhook(applicationId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateWebhook) => post<WebhookWithSecret>(pathTo(applicationId), body),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(applicationId) }),
  });
}

export function useChangeWebhook(webhookRef: WebhookRef) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: UpdateWebhook) =>
      (await patch<ConsoleWebhookResponse>(pathTo(webhookRef.applicationId, webhookRef.webhookId), changes)).webhook,
    onSuccess(webhook) {
      client.setQueryData(webhookQuery(webhookRef).queryKey, webhook);
      return client.invalidateQueries({ queryKey: keyOf(webhookRef.applicationId) });
    },
  });
}

export function useRotateWebhookSecret({ applicationId, webhookId }: WebhookRef) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ force }: { force: boolean }) =>
      (await post<WebhookWithSecret>(`${pathTo(applicationId, webhookId)}/rotate-secret?force=${force}`)).secret,
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(applicationId) }),
  });
}

export function usePing({ applicationId, webhookId }: WebhookRef) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post(`${pathTo(applicationId, webhookId)}/ping`),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(applicationId) }),
  });
}

export function useResend({ applicationId, webhookId }: WebhookRef) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (deliveryId: string) =>
      post(`${pathTo(applicationId, webhookId)}/deliveries/${encodeURIComponent(deliveryId)}/resend`),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(applicationId) }),
  });
}

/** `onDeleted` runs even if the page has noticed the deletion first. */
export function useDeleteWebhook({ applicationId, webhookId }: WebhookRef, onDeleted: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(pathTo(applicationId, webhookId)),
    onSuccess() {
      onDeleted();
      // Only the list: refetching the deleted webhook would return 404.
      return client.invalidateQueries(webhooksQuery(applicationId));
    },
  });
}

function isGone(error: Error | null): boolean {
  return error instanceof ConsoleError && error.status === 404;
}

function keyOf(applicationId: string) {
  return ["webhooks", applicationId] as const;
}

function pathTo(applicationId: string, webhookId?: string): string {
  const all = `/applications/${encodeURIComponent(applicationId)}/webhooks`;
  return webhookId === undefined ? all : `${all}/${encodeURIComponent(webhookId)}`;
}
