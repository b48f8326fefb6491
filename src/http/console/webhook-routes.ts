import type { App, AppDependencies } from "../app.ts";
import { addWebhookRoutesAt } from "../routes/webhooks.ts";
import { type ConsoleGuards, ownerOf } from "./console-guards.ts";

/** The webhooks of an owner's applications. Another owner's application is not found. */
export function addWebhookRoutes(
  scope: App,
  { webhooks, console: { applications } }: Pick<AppDependencies, "webhooks" | "console">,
  { isOwner, mayCreate }: ConsoleGuards,
): void {
  addWebhookRoutesAt(scope, {
    webhooks,
    base: "/console/api/applications/:applicationId/webhooks",
    mayRead: isOwner,
    mayChange: [isOwner, mayCreate],
    findApplicationId(request) {
      const { applicationId } = request.params as { applicationId: string };
      return applications.requireOwned(ownerOf(request).id, applicationId);
    },
    isPublic: false,
  });
}
