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
  ConsoleWebhookAnswer,
  ConsoleWebhookList,
} from "../../../src/contract/console/webhooks.ts";
import type {
  CreateWebhook,
  UpdateWebhook,
  WebhookDelivery,
  WebhookWithSecret,
} from "../../../src/contract/webhook.ts";
import { ConsoleError, get, patch, post, remove } from "./client.ts";

/** One webhook, by the two ids that lead to it. */
export interface WebhookRef {
  applicationId: string;
  webhookId: string;
}

const PAGE_SIZE = 25;
const CALM_POLL_MS = 5_000;
/** A receiver can disable it at any moment, and whoever looks at its log would wonder. */
const WATCHED_POLL_MS = 3_000;
const AWAITED_POLL_MS = 700;
/** Clocks differ a little. */
const AWAITED_BEFORE_MS = 2_000;
/** What has been due for longer will not be tried because somebody looks at it. */
const AWAITED_FOR_MS = 60_000;

export function webhooksQuery(applicationId: string) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "list"],
    queryFn: async ({ signal }) => (await get<ConsoleWebhookList>(pathTo(applicationId), {}, signal)).webhooks,
    refetchInterval: CALM_POLL_MS,
  });
}

export function webhookQuery({ applicationId, webhookId }: WebhookRef) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "one", webhookId],
    queryFn: async ({ signal }) =>
      (await get<ConsoleWebhookAnswer>(pathTo(applicationId, webhookId), {}, signal)).webhook,
    refetchInterval: ({ state }) => (isGone(state.error) ? false : WATCHED_POLL_MS),
  });
}

export function latestDeliveryQuery({ applicationId, webhookId }: WebhookRef) {
  return queryOptions({
    queryKey: [...keyOf(applicationId), "deliveries", webhookId, "latest"],
    queryFn: async ({ signal }) =>
      (await get<ConsoleDeliveryPage>(`${pathTo(applicationId, webhookId)}/deliveries`, { limit: 1 }, signal))
        .deliveries[0] ?? null,
    refetchInterval: CALM_POLL_MS,
  });
}

/** The log, newest first. While something is being tried, it is asked for often. */
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
    refetchInterval: ({ state }) => pauseBefore(state.data),
  });
}

/** Whether it is being tried at this time, or will be at any moment. */
export function isAwaited({ state, next_attempt_at, created_at }: WebhookDelivery, nowMs: number): boolean {
  if (state !== "pending") return false;
  const dueForMs = nowMs - Date.parse(next_attempt_at ?? created_at);
  return dueForMs > -AWAITED_BEFORE_MS && dueForMs < AWAITED_FOR_MS;
}

/** How long until something may have changed: less when something is due. */
function pauseBefore(log: InfiniteData<ConsoleDeliveryPage> | undefined): number {
  const deliveries = log?.pages.flatMap((page) => page.deliveries) ?? [];
  if (deliveries.some((delivery) => isAwaited(delivery, Date.now()))) return AWAITED_POLL_MS;
  const waitsMs = deliveries
    .map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? "") - Date.now())
    .filter((waitMs) => waitMs > 0);
  return Math.min(CALM_POLL_MS, ...waitsMs);
}

/** The webhook and its secret, which nobody is told a second time: it is not kept here once it has been shown. */
export function useCreateWebhook(applicationId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateWebhook) => post<WebhookWithSecret>(pathTo(applicationId), body),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(applicationId) }),
  });
}

export function useChangeWebhook(place: WebhookRef) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: UpdateWebhook) =>
      (await patch<ConsoleWebhookAnswer>(pathTo(place.applicationId, place.webhookId), changes)).webhook,
    onSuccess(webhook) {
      client.setQueryData(webhookQuery(place).queryKey, webhook);
      return client.invalidateQueries({ queryKey: keyOf(place.applicationId) });
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

/** `onDeleted` also comes when the page has noticed by itself that it is gone. */
export function useDeleteWebhook({ applicationId, webhookId }: WebhookRef, onDeleted: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(pathTo(applicationId, webhookId)),
    onSuccess() {
      onDeleted();
      // Only the list: asking for what is gone would find nothing.
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
