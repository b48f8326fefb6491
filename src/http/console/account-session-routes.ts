import { Type } from "typebox";
import type { SessionList } from "../../contract/console/account.ts";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { webHeaders } from "../pages/web-headers.ts";
import type { ConsoleGuards } from "./console-guards.ts";

const SessionPath = Type.Object({ id: Type.String({ maxLength: 100 }) });

/** The browsers in which a person is signed in. */
export function addAccountSessionRoutes(scope: App, { people }: AppDependencies, { isVisitor }: ConsoleGuards): void {
  scope.get(
    "/console/api/sessions",
    { onRequest: isVisitor, schema: { hide: true } },
    async (request): Promise<SessionList> => {
      const sessions = await people.listSessions(webHeaders(request));
      return {
        sessions: sessions.map(({ id, isCurrent, createdAt, lastUsedAt, ipAddress, userAgent }) => ({
          id,
          is_current: isCurrent,
          created_at: createdAt.toISOString(),
          last_used_at: lastUsedAt.toISOString(),
          ip_address: ipAddress,
          user_agent: userAgent,
        })),
      };
    },
  );

  scope.delete("/console/api/sessions", { onRequest: isVisitor, schema: { hide: true } }, async (request, reply) => {
    await people.endOtherSessions(webHeaders(request));
    return reply.code(204).send();
  });

  scope.delete(
    "/console/api/sessions/:id",
    { onRequest: isVisitor, schema: { hide: true, params: SessionPath } },
    async (request, reply) => {
      const hasEnded = await people.endSession(request.params.id, webHeaders(request));
      if (!hasEnded) throw new CallerError("NOT_FOUND", "You have no such session. It may have ended already.");
      return reply.code(204).send();
    },
  );
}
