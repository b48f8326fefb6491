import type { ListedOwner } from "../../console/owners.ts";
import { OwnerBody, type OwnerItem, type OwnerList } from "../../contract/console/account.ts";
import type { App, AppDependencies } from "../app.ts";
import type { ConsoleGuards } from "./console-guards.ts";

/** Who owns applications: for the owner of the installation. */
export function addOwnerRoutes(
  scope: App,
  { console: { owners } }: Pick<AppDependencies, "console">,
  { isOperator }: ConsoleGuards,
): void {
  scope.get("/console/api/owners", { onRequest: isOperator, schema: { hide: true } }, async (): Promise<OwnerList> => {
    return { owners: (await owners.list()).map(toItem) };
  });

  scope.post(
    "/console/api/owners",
    { onRequest: isOperator, schema: { hide: true, body: OwnerBody } },
    async (request, reply): Promise<{ owner: OwnerItem }> => {
      const { owner, isNew } = await owners.make(request.body.email);
      reply.code(isNew ? 201 : 200);
      return { owner: toItem(owner) };
    },
  );
}

function toItem({ id, email, balance, applications, isOperator }: ListedOwner): OwnerItem {
  return { id, email, balance, applications, is_operator: isOperator };
}
