import type { FastifyReply, FastifyRequest } from "fastify";
import type { Person } from "../../accounts/person.ts";
import { AuthorizeQuery } from "../../contract/oauth.ts";
import type { AuthorizationRequest } from "../../oauth/authorization-request.ts";
import { authorizationResponse } from "../../oauth/authorization-response.ts";
import { OAuthError } from "../../oauth/oauth-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { consentPage } from "../pages/consent-page.ts";
import { errorPage } from "../pages/error-page.ts";
import { createFormGuard } from "../pages/form-guard.ts";
import { sendPage } from "../pages/send-page.ts";
import { webHeaders } from "../pages/web-headers.ts";

type ValidRequest = Extract<AuthorizationRequest, { kind: "valid" }>;

const PATH = "/v1/oauth/authorize";
const NO_BROWSER = new OAuthError("temporarily_unavailable", "This service cannot open a browser to sign in with.");
const CARRIED = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
];

/** The auth link: sign-in if need be, consent always, then back to the application with a code. */
export function addAuthorizeRoutes(app: App, { oauth, signIns, people, formKey, publicUrl }: AppDependencies): void {
  const forms = createFormGuard({ key: formKey, publicUrl });

  function goBack(
    reply: FastifyReply,
    request: { redirectUri: string; state: string | null },
    answer: { code: string } | OAuthError,
  ) {
    return reply
      .header("cache-control", "no-store")
      .redirect(authorizationResponse(request.redirectUri, publicUrl, request.state, answer), 303);
  }

  /** Answers everything but a valid request of a person who is signed in, which it hands to `proceed`. */
  async function withConsentRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: Record<string, unknown>,
    proceed: (valid: ValidRequest, person: Person) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const authorization = await oauth.readAuthorizationRequest(parameters);
    if (authorization.kind === "page") return sendPage(reply.code(400), errorPage(authorization.message, request.id));
    if (authorization.kind === "redirect") return goBack(reply, authorization, authorization.error);
    const person = await people.findSignedIn(webHeaders(request));
    if (person !== null) return proceed(authorization, person);
    const signIn = new URLSearchParams({ return_to: `${PATH}?${new URLSearchParams(carried(parameters))}` });
    if (authorization.loginHint !== null) signIn.set("email", authorization.loginHint);
    return reply.header("cache-control", "no-store").redirect(`/sign-in?${signIn}`, 303);
  }

  /** Back with a code when consent is enough or a saved sign-in can be kept; otherwise the person signs in by hand first. */
  async function agree(
    reply: FastifyReply,
    request: ValidRequest,
    person: Person,
    wantsToSignIn: boolean,
  ): Promise<FastifyReply> {
    const { application, redirectUri, state, codeChallenge } = request;
    const agreement = { applicationId: application.id, userId: person.id, redirectUri, codeChallenge };
    const needsSignIn = application.signInUrl !== null;
    const granted = needsSignIn && wantsToSignIn ? null : await oauth.grant(agreement, needsSignIn ? "saved" : "none");
    if (granted !== null) return goBack(reply, request, granted);
    if (signIns === null) return goBack(reply, request, NO_BROWSER);
    const { id } = await signIns.begin({ ...agreement, state });
    return reply.header("cache-control", "no-store").redirect(`/connect/${id}`, 303);
  }

  app.get(
    PATH,
    {
      config: { errors: "page" },
      validatorCompiler: () => () => true,
      schema: {
        tags: ["OAuth"],
        operationId: "authorize",
        summary: "The authorization link",
        description:
          "For a person's browser. They sign in, agree, and go back to `redirect_uri` with `code`, `state` and `iss`; or with `error`, such as `access_denied`.",
        querystring: AuthorizeQuery,
      },
    },
    (request, reply) => {
      const parameters = request.query as Record<string, unknown>;
      return withConsentRequest(request, reply, parameters, async ({ application, redirectUri }, person) => {
        const signIn = application.signInUrl === null ? null : await oauth.findSignIn(application.id, person.id);
        return sendPage(
          reply,
          consentPage({
            application,
            person,
            redirectUri,
            signedInAt: signIn?.signedInAt ?? null,
            parameters: carried(parameters),
            formToken: forms.issue(request, reply),
          }),
        );
      });
    },
  );

  app.post(PATH, { config: { errors: "page" }, schema: { hide: true } }, async (request, reply) => {
    forms.check(request);
    const form = request.body as Record<string, unknown>;
    return withConsentRequest(request, reply, form, async (valid, person) => {
      // Somebody else has signed in since the page was shown: they are asked anew, in their own name.
      if (form["person"] !== person.id) return reply.redirect(`${PATH}?${new URLSearchParams(carried(form))}`, 303);
      if (form["decision"] !== "allow") {
        return goBack(reply, valid, new OAuthError("access_denied", "The user did not agree."));
      }
      return agree(reply, valid, person, form["sign_in"] === "again");
    });
  });
}

function carried(parameters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    CARRIED.flatMap((name) => (typeof parameters[name] === "string" ? [[name, parameters[name]]] : [])),
  );
}
