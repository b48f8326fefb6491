import type { FastifyRequest } from "fastify";
import { type Setup, SetupBody } from "../../contract/console/account.ts";
import type { App, AppDependencies } from "../app.ts";
import { createAttemptLimit } from "../attempt-limit.ts";
import { webHeaders } from "../pages/web-headers.ts";
import { requireConsole } from "./console-guards.ts";
import { isLocalRequest } from "./local-request.ts";

/** The only part of the console's interface for somebody who is not signed in. */
export function addSetupRoutes(scope: App, { console: { setup }, publicUrl, limits, clock }: AppDependencies): void {
  const limitAttempts = createAttemptLimit(limits.signIn, clock);
  const isLocal = (request: FastifyRequest) => isLocalRequest(request, publicUrl);
  const onRequest = async (request: FastifyRequest) => requireConsole(request, publicUrl);

  scope.get("/console/api/setup", { onRequest, schema: { hide: true } }, async (request): Promise<Setup> => {
    const needsOwner = (await setup.findCode()) !== null;
    return { needs_owner: needsOwner, needs_code: needsOwner && !isLocal(request) };
  });

  scope.post("/console/api/setup", { onRequest, schema: { hide: true, body: SetupBody } }, async (request, reply) => {
    limitAttempts(request.ip, request.body.email);
    const from = { isLocal: isLocal(request), headers: webHeaders(request) };
    const { cookies } = await setup.claim(request.body, from);
    return reply.code(204).header("set-cookie", cookies).send();
  });
}
