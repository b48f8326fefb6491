import type { FastifyReply, FastifyRequest } from "fastify";
import type { Credentials, SignInOutcome } from "../../accounts/people.ts";
import { parseLocalPath } from "../../lib/local-path.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { sendPage } from "../pages/page-response.ts";
import { signInPage } from "../pages/sign-in-page.ts";
import { createAttemptLimit, createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";

type Mode = "sign-in" | "sign-up";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;

export function addSignInRoutes(
  app: App,
  { applications, people, clock, limits, formKey, publicUrl }: AppDependencies,
): void {
  const forms = createFormGuard({ key: formKey, publicUrl });
  const limitAttempts = createAttemptLimit(limits.signIn, clock);

  async function show(
    mode: Mode,
    request: FastifyRequest,
    reply: FastifyReply,
    filledIn: { email: string; returnTo: string; problem: string | null },
  ) {
    const clientId = new URLSearchParams(filledIn.returnTo.split("?")[1] ?? "").get("client_id");
    const application = clientId === null ? null : await applications.find(clientId);
    return sendPage(
      reply,
      signInPage({
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
      });
    });

    app.post(`/${mode}`, PAGE, async (request, reply) => {
      forms.check(request);
      const form = request.body as Record<string, unknown>;
      const credentials: Credentials = { email: asText(form["email"]), password: asText(form["password"]) };
      const returnTo = parseLocalPath(form["return_to"]);
      limitAttempts(request.ip, credentials.email);
      const headers = webHeaders(request);
      const outcome: SignInOutcome =
        mode === "sign-in" ? await people.signIn(credentials, headers) : await people.signUp(credentials, headers);
      if (outcome.ok) return reply.header("set-cookie", outcome.cookies).redirect(returnTo, 303);
      return show(mode, request, reply.code(400), { email: credentials.email, returnTo, problem: outcome.reason });
    });
  }

  app.post("/sign-out", PAGE, async (request, reply) => {
    forms.check(request);
    const { cookies } = await people.signOut(webHeaders(request));
    const returnTo = parseLocalPath((request.body as Record<string, unknown>)["return_to"]);
    return reply.header("set-cookie", cookies).redirect(returnTo, 303);
  });
}

function asText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 1_000) : "";
}
