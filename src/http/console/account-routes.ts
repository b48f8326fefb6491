import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Me, PasswordBody, type SessionList, type Setup, SetupBody } from "../../contract/console/account.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { createAttemptLimit, createKnownBrowsers } from "../plugins/attempt-limits.ts";
import { isLocalRequest, webHeaders } from "../plugins/request-origin.ts";
import { type ConsoleGuards, requireConsoleRequest, visitorOf } from "./guards.ts";

const SessionPath = Type.Object({ id: Type.String({ maxLength: 100 }) });

/** A person's own account: who they are, their password and their sessions. */
export function addAccountRoutes(
  scope: App,
  { people, console: { firstErrands, executionPrice, hasModel }, publicUrl, limits, clock }: AppDependencies,
  { requireVisitor }: ConsoleGuards,
): void {
  const limitAttempts = createAttemptLimit(limits.signIn, clock);

  scope.get("/console/api/me", { onRequest: requireVisitor, schema: { hide: true } }, async (request): Promise<Me> => {
    const { person, owner, isOperator } = visitorOf(request);
    return {
      person: { id: person.id, email: person.email },
      owner: owner === null ? null : { id: owner.id, balance: owner.balance },
      is_operator: isOperator,
      public_url: publicUrl,
      execution_price: executionPrice,
      has_model: hasModel,
      demo_url: firstErrands.demoUrl,
    };
  });

  scope.post("/console/api/sign-out", { onRequest: requireVisitor, schema: { hide: true } }, async (request, reply) => {
    const { cookies } = await people.signOut(webHeaders(request));
    return reply.code(204).header("set-cookie", cookies).send();
  });

  scope.put(
    "/console/api/password",
    { onRequest: requireVisitor, schema: { hide: true, body: PasswordBody } },
    async (request, reply) => {
      // A stolen session must not become a way to guess the password.
      limitAttempts(request, visitorOf(request).person.email);
      const { current_password: current, new_password: next } = request.body;
      const outcome = await people.changePassword({ current, next }, webHeaders(request));
      if (!outcome.ok) throw new CallerError("INVALID_REQUEST", outcome.reason);
      return reply.code(204).header("set-cookie", outcome.cookies).send();
    },
  );

  scope.get(
    "/console/api/sessions",
    { onRequest: requireVisitor, schema: { hide: true } },
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

  scope.delete(
    "/console/api/sessions",
    { onRequest: requireVisitor, schema: { hide: true } },
    async (request, reply) => {
      await people.endOtherSessions(webHeaders(request));
      return reply.code(204).send();
    },
  );

  scope.delete(
    "/console/api/sessions/:id",
    { onRequest: requireVisitor, schema: { hide: true, params: SessionPath } },
    async (request, reply) => {
      const hasEnded = await people.endSession(request.params.id, webHeaders(request));
      if (!hasEnded) throw new CallerError("NOT_FOUND", "You have no session with this id. It may have ended already.");
      return reply.code(204).send();
    },
  );
}

/** Claims a new installation. The only part of the console's API that needs no sign-in. */
export function addSetupRoutes(scope: App, dependencies: AppDependencies): void {
  const { publicUrl, limits, clock, formKey } = dependencies;
  const { setup } = dependencies.console;
  const limitAttempts = createAttemptLimit(limits.signIn, clock);
  const browsers = createKnownBrowsers({ key: formKey, publicUrl });
  const isLocal = (request: FastifyRequest) => isLocalRequest(request, publicUrl);
  const onRequest = async (request: FastifyRequest) => requireConsoleRequest(request, publicUrl);

  scope.get("/console/api/setup", { onRequest, schema: { hide: true } }, async (request): Promise<Setup> => {
    const needsOwner = (await setup.findCode()) !== null;
    return { needs_owner: needsOwner, needs_code: needsOwner && !isLocal(request) };
  });

  scope.post("/console/api/setup", { onRequest, schema: { hide: true, body: SetupBody } }, async (request, reply) => {
    limitAttempts(request);
    const from = { isLocal: isLocal(request), headers: webHeaders(request) };
    const { cookies } = await setup.claim(request.body, from);
    const remembered = browsers.remember(request, request.body.email);
    return reply
      .code(204)
      .header("set-cookie", [...cookies, remembered])
      .send();
  });
}
