import type { FastifyReply, FastifyRequest } from "fastify";
import type { Credentials } from "../../accounts/people.ts";
import { parseLocalPath } from "../../lib/local-path.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { sendPage } from "../pages/page-response.ts";
import { type Arrival, signInPage } from "../pages/sign-in-page.ts";
import { createAttemptLimit, createKnownBrowsers, createSignInLimit } from "../plugins/attempt-limits.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";

type Mode = "sign-in" | "sign-up";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;

export function addSignInRoutes(
  app: App,
  { applications, people, clock, limits, formKey, publicUrl }: AppDependencies,
): void {
  const forms = createFormGuard({ key: formKey, publicUrl });
  const browsers = createKnownBrowsers({ key: formKey, publicUrl });
  const limitSignIns = createSignInLimit({ limit: limits.signIn, clock, browsers });
  const limitSignUps = createAttemptLimit(limits.signIn, clock);

  async function show(
    mode: Mode,
    request: FastifyRequest,
    reply: FastifyReply,
    filledIn: { email: string; returnTo: string; problem: string | null; arrival?: Arrival | null },
  ) {
    const clientId = new URLSearchParams(filledIn.returnTo.split("?")[1] ?? "").get("client_id");
    const application = clientId === null ? null : await applications.find(clientId);
    return sendPage(
      reply,
      signInPage({
        arrival: null,
        ...filledIn,
        mode,
        formToken: forms.issue(request, reply),
        applicationName: application?.name ?? null,
      }),
    );
  }

  for (const mode of ["sign-in", "sign-up"] as const) {
    app.get(`/${mode}`, PAGE, async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      return show(mode, request, reply, {
        email: asText(query["email"]),
        returnTo: parseLocalPath(query["return_to"]),
        problem: null,
        arrival: mode === "sign-in" ? readArrival(query) : null,
      });
    });
  }

  app.post("/sign-in", PAGE, async (request, reply) => {
    forms.check(request);
    const { credentials, returnTo } = readForm(request);
    limitSignIns(request, credentials.email);
    const outcome = await people.signIn(credentials, webHeaders(request));
    if (!outcome.ok) {
      const filledIn = { email: credentials.email, returnTo, problem: outcome.reason };
      return show("sign-in", request, reply.code(400), filledIn);
    }
    const remembered = browsers.remember(request, credentials.email);
    return reply.header("set-cookie", [...outcome.cookies, remembered]).redirect(returnTo, 303);
  });

  // The response is the same whether or not the email address has an account, so nobody can find out who has one.
  app.post("/sign-up", PAGE, async (request, reply) => {
    forms.check(request);
    const { credentials, returnTo } = readForm(request);
    limitSignUps(request);
    const outcome = await people.signUp(credentials, webHeaders(request));
    if (!outcome.ok) {
      const filledIn = { email: credentials.email, returnTo, problem: outcome.reason };
      return show("sign-up", request, reply.code(400), filledIn);
    }
    const query = new URLSearchParams({ email: credentials.email, return_to: returnTo, signed_up: "1" });
    return reply.redirect(`/sign-in?${query}`, 303);
  });

  app.post("/sign-out", PAGE, async (request, reply) => {
    forms.check(request);
    const { cookies } = await people.signOut(webHeaders(request));
    const returnTo = parseLocalPath((request.body as Record<string, unknown>)["return_to"]);
    return reply.header("set-cookie", cookies).redirect(returnTo, 303);
  });
}

function readArrival(query: Record<string, unknown>): Arrival | null {
  if (query["signed_up"] !== undefined) return "signed-up";
  return query["new_password"] === undefined ? null : "new-password";
}

function readForm({ body }: FastifyRequest): { credentials: Credentials; returnTo: string } {
  const form = body as Record<string, unknown>;
  return {
    credentials: { email: asText(form["email"]), password: asText(form["password"]) },
    returnTo: parseLocalPath(form["return_to"]),
  };
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 1_000) : "";
}
