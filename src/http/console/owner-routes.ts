import type { ListedOwner } from "../../console/installation.ts";
import { OwnerBody, type OwnerItem, type OwnerList, type Status } from "../../contract/console/account.ts";
import { EntryQuery, GrantBody, UsageQuery } from "../../contract/console/credits.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { type ConsoleGuards, ownerOf } from "./guards.ts";

/** The people who own applications. For the operator. */
export function addOwnerRoutes(
  scope: App,
  { console: { owners } }: Pick<AppDependencies, "console">,
  { requireOperator }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/owners",
    { onRequest: requireOperator, schema: { hide: true } },
    async (): Promise<OwnerList> => {
      return { owners: (await owners.list()).map(toOwnerItem) };
    },
  );

  scope.post(
    "/console/api/owners",
    { onRequest: requireOperator, schema: { hide: true, body: OwnerBody } },
    async (request, reply): Promise<{ owner: OwnerItem }> => {
      const { owner, isNew } = await owners.make(request.body.email);
      reply.code(isNew ? 201 : 200);
      return { owner: toOwnerItem(owner) };
    },
  );
}

function toOwnerItem({ id, email, balance, applications, isOperator }: ListedOwner): OwnerItem {
  return { id, email, balance, applications, is_operator: isOperator };
}

export function addCreditRoutes(
  scope: App,
  { console: { credits } }: Pick<AppDependencies, "console">,
  { requireOwner, requireOperator }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/credits/entries",
    { onRequest: requireOwner, schema: { hide: true, querystring: EntryQuery } },
    async (request) => credits.list(ownerOf(request).id, request.query),
  );

  scope.get(
    "/console/api/credits/usage",
    { onRequest: requireOwner, schema: { hide: true, querystring: UsageQuery } },
    async (request) => credits.getUsage(ownerOf(request).id, request.query),
  );

  scope.post(
    "/console/api/credits/grants",
    { onRequest: requireOperator, schema: { hide: true, body: GrantBody } },
    async (request, reply) => {
      const balance = await credits.grant(request.body);
      reply.code(201);
      return { balance };
    },
  );
}

export function addStatusRoutes(
  scope: App,
  { console: { status } }: Pick<AppDependencies, "console">,
  { requireOperator }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/status",
    { onRequest: requireOperator, schema: { hide: true } },
    async (): Promise<Status> => {
      return { checks: await status.check() };
    },
  );
}
