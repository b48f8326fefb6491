import { type Me, PasswordBody } from "../../contract/console/account.ts";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { createAttemptLimit } from "../attempt-limit.ts";
import { webHeaders } from "../pages/web-headers.ts";
import { type ConsoleGuards, visitorOf } from "./console-guards.ts";

/** A person's own account. */
export function addAccountRoutes(
  scope: App,
  { people, console: { firstErrands, executionPrice }, publicUrl, limits, clock }: AppDependencies,
  { isVisitor }: ConsoleGuards,
): void {
  const limitAttempts = createAttemptLimit(limits.signIn, clock);

  scope.get("/console/api/me", { onRequest: isVisitor, schema: { hide: true } }, async (request): Promise<Me> => {
    const { person, owner, isOperator } = visitorOf(request);
    return {
      person: { id: person.id, email: person.email },
      owner: owner === null ? null : { id: owner.id, balance: owner.balance },
      is_operator: isOperator,
      public_url: publicUrl,
      execution_price: executionPrice,
      demo_url: firstErrands.demoUrl,
    };
  });

  scope.post("/console/api/sign-out", { onRequest: isVisitor, schema: { hide: true } }, async (request, reply) => {
    const { cookies } = await people.signOut(webHeaders(request));
    return reply.code(204).header("set-cookie", cookies).send();
  });

  scope.put(
    "/console/api/password",
    { onRequest: isVisitor, schema: { hide: true, body: PasswordBody } },
    async (request, reply) => {
      // A session that somebody else has got hold of is no place to guess the password from.
      limitAttempts(request.ip, visitorOf(request).person.email);
      const { current_password: current, new_password: next } = request.body;
      const outcome = await people.changePassword({ current, next }, webHeaders(request));
      if (!outcome.ok) throw new CallerError("INVALID_REQUEST", outcome.reason);
      return reply.code(204).header("set-cookie", outcome.cookies).send();
    },
  );
}
