import { EntryQuery, GrantBody, UsageQuery } from "../../contract/console/credits.ts";
import type { App, AppDependencies } from "../app.ts";
import { type ConsoleGuards, ownerOf } from "./console-guards.ts";

export function addCreditRoutes(
  scope: App,
  { console: { credits } }: Pick<AppDependencies, "console">,
  { isOwner, isOperator }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/credits/entries",
    { onRequest: isOwner, schema: { hide: true, querystring: EntryQuery } },
    async (request) => credits.list(ownerOf(request).id, request.query),
  );

  scope.get(
    "/console/api/credits/usage",
    { onRequest: isOwner, schema: { hide: true, querystring: UsageQuery } },
    async (request) => credits.getUsage(ownerOf(request).id, request.query),
  );

  scope.post(
    "/console/api/credits/grants",
    { onRequest: isOperator, schema: { hide: true, body: GrantBody } },
    async (request, reply) => {
      const balance = await credits.grant(request.body);
      reply.code(201);
      return { balance };
    },
  );
}
