import type { FastifyReply, FastifyRequest } from "fastify";
import { type TUnsafe, Type } from "typebox";
import type { Person } from "../../accounts/person.ts";
import {
  AuthorizationServerMetadata,
  AuthorizeQuery,
  OAUTH_ERRORS,
  type OAuthErrorCode,
  RevokeForm,
  RevokeResponse,
  TokenForm,
  TokenResponse,
} from "../../contract/oauth.ts";
import type { SpendingLimits } from "../../contract/spending.ts";
import { type AuthorizationRequest, buildAuthorizationResponseUrl } from "../../oauth/authorization.ts";
import { buildServerMetadata, OAuthError } from "../../oauth/protocol.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { consentPage } from "../pages/consent-page.ts";
import { errorPage } from "../pages/error-pages.ts";
import { sendPage } from "../pages/page-response.ts";
import { readSpendingEntry, type SpendingEntry, toSpendingEntry } from "../pages/spending-fields.ts";
import { errorResponses } from "../plugins/errors.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";

type ValidRequest = Extract<AuthorizationRequest, { kind: "valid" }>;

const AUTHORIZE_PATH = "/v1/oauth/authorize";
const NO_BROWSER = new OAuthError(
  "temporarily_unavailable",
  "This service has no browser for signing in. Try again later.",
);
const PARAMETERS = [
  "response_type",
  "client_id",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
  "resource",
];

/** The authorization link: sign-in if needed, consent always, then back to the application with a code. */
export function addAuthorizeRoutes(app: App, { oauth, signIns, people, formKey, publicUrl }: AppDependencies): void {
  const forms = createFormGuard({ key: formKey, publicUrl });

  function goBack(
    reply: FastifyReply,
    request: { redirectUri: string; state: string | null },
    outcome: { code: string } | OAuthError,
  ) {
    return reply
      .header("cache-control", "no-store")
      .redirect(buildAuthorizationResponseUrl(request.redirectUri, publicUrl, request.state, outcome), 303);
  }

  /** Calls `proceed` for a valid request of a signed-in person. Responds to everything else itself. */
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
    const signIn = new URLSearchParams({
      return_to: `${AUTHORIZE_PATH}?${new URLSearchParams(pickParameters(parameters))}`,
    });
    if (authorization.loginHint !== null) signIn.set("email", authorization.loginHint);
    return reply.header("cache-control", "no-store").redirect(`/sign-in?${signIn}`, 303);
  }

  /** Returns with a code if consent is enough or there is a saved sign-in. Otherwise the person signs in to the site first. */
  async function agree(
    reply: FastifyReply,
    request: ValidRequest,
    person: Person,
    choices: Choices,
  ): Promise<FastifyReply> {
    const { application, redirectUri, client, state, codeChallenge } = request;
    const agreement = {
      applicationId: application.id,
      userId: person.id,
      redirectUri,
      codeChallenge,
      client,
      approval: choices.approval,
      spendingLimits: choices.spendingLimits,
    };
    const needsSignIn = application.signInUrl !== null;
    const granted =
      needsSignIn && choices.signsInAgain ? null : await oauth.grant(agreement, needsSignIn ? "saved" : "none");
    if (granted !== null) return goBack(reply, request, granted);
    if (signIns === null) return goBack(reply, request, NO_BROWSER);
    const { id } = await signIns.begin({ ...agreement, state });
    return reply.header("cache-control", "no-store").redirect(`/connect/${id}`, 303);
  }

  async function showConsent(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: Record<string, unknown>,
    { valid: { application, redirectUri, client }, person, approval, spending }: ConsentForm,
  ): Promise<FastifyReply> {
    const signIn = application.signInUrl === null ? null : await oauth.findSignIn(application.id, person.id);
    const page = consentPage({
      application,
      client,
      person,
      redirectUri,
      signedInAt: signIn?.signedInAt ?? null,
      approval,
      spending,
      parameters: pickParameters(parameters),
      formToken: forms.issue(request, reply),
    });
    return sendPage(reply, page);
  }

  app.get(
    AUTHORIZE_PATH,
    {
      config: { errors: "page" },
      validatorCompiler: () => () => true,
      schema: {
        tags: ["OAuth"],
        operationId: "authorize",
        summary: "Authorization link",
        description:
          "Open this in a person's browser. They sign in, agree, and return to `redirect_uri` with `code`, `state` and `iss`, or with an `error` such as `access_denied`.",
        security: [],
        querystring: AuthorizeQuery,
        response: AUTHORIZE_RESPONSES as Record<string, TUnsafe<unknown>>,
      },
    },
    (request, reply) => {
      const parameters = request.query as Record<string, unknown>;
      return withConsentRequest(request, reply, parameters, async (valid, person) => {
        const { approval, spendingLimits } = await oauth.findChoices(valid.application.id, person.id);
        const spending = toSpendingEntry(spendingLimits);
        return showConsent(request, reply, parameters, { valid, person, approval, spending });
      });
    },
  );

  app.post(AUTHORIZE_PATH, { config: { errors: "page" }, schema: { hide: true } }, async (request, reply) => {
    forms.check(request);
    const form = request.body as Record<string, unknown>;
    return withConsentRequest(request, reply, form, async (valid, person) => {
      // Someone else has signed in since the page was shown: they must decide for themselves.
      if (form["person"] !== person.id)
        return reply.redirect(`${AUTHORIZE_PATH}?${new URLSearchParams(pickParameters(form))}`, 303);
      if (form["decision"] !== "allow") {
        return goBack(reply, valid, new OAuthError("access_denied", "The user declined."));
      }
      const approval = form["approval"] === "commits" ? "commits" : "never";
      const spending = readSpendingEntry(form);
      if (spending.problem !== null) {
        return showConsent(request, reply.code(400), form, { valid, person, approval, spending });
      }
      if (!spending.isNoted) return showConsent(request, reply, form, { valid, person, approval, spending });
      const { limits: spendingLimits } = spending;
      return agree(reply, valid, person, { signsInAgain: form["sign_in"] === "again", approval, spendingLimits });
    });
  });
}

/** Pages and redirects: for OpenAPI only, since the handler sends the replies itself. */
const AUTHORIZE_RESPONSES: Record<string, unknown> = {
  200: { description: "The consent page.", content: { "text/html": { schema: Type.String() } } },
  303: Type.Null({
    description:
      "To the sign-in page, if the person is not signed in; or to `redirect_uri` with `error`, `error_description`, `state` and `iss`, if the request is not valid. After the person has decided, they return to `redirect_uri` with `code`, `state` and `iss`, or with `error=access_denied`.",
    headers: {
      location: {
        type: "string",
        description: "Where to go.",
        examples: ["https://app.example.com/callback?code=CODE&state=STATE&iss=https%3A%2F%2Ferrand.example.com"],
      },
    },
  }),
  400: {
    description: "An error page: the client or the redirect URI is unknown, so that there is nowhere to return to.",
    content: { "text/html": { schema: Type.String() } },
  },
};

/** What the person ticked on the consent page. */
interface Choices {
  signsInAgain: boolean;
  approval: "never" | "commits";
  spendingLimits: SpendingLimits | null;
}

/** Who decides about what, and what their form holds. */
interface ConsentForm {
  valid: ValidRequest;
  person: Person;
  approval: "never" | "commits";
  spending: SpendingEntry;
}

function pickParameters(parameters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    PARAMETERS.flatMap((name) => (typeof parameters[name] === "string" ? [[name, parameters[name]]] : [])),
  );
}

const FORM = "application/x-www-form-urlencoded";

export function addTokenRoutes(app: App, { oauth, publicUrl }: AppDependencies): void {
  const config = { cors: true, errors: "oauth" } as const;
  const common = { tags: ["OAuth"], security: [{ client: [] }, {}], consumes: [FORM] };

  app.post(
    "/v1/oauth/token",
    {
      config,
      // RFC 6749 defines the errors for an invalid form, so the OAuth code validates it instead of the schema.
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        operationId: "exchangeCode",
        summary: "Exchange a code for a token",
        description: "A new token for the same connection revokes the previous one.",
        body: TokenForm,
        response: { 200: TokenResponse, ...oauthErrorResponses(400, 401, 500, 503) },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("pragma", "no-cache");
      return oauth.exchange(request.headers.authorization, asForm(request.body));
    },
  );

  app.post(
    "/v1/oauth/revoke",
    {
      config,
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        operationId: "revokeToken",
        summary: "Revoke a token",
        description: "Responds with 200 whether or not the token was valid. The connection stays.",
        body: RevokeForm,
        response: { 200: RevokeResponse, ...oauthErrorResponses(400, 401, 500, 503) },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("pragma", "no-cache");
      await oauth.revoke(request.headers.authorization, asForm(request.body));
      return {};
    },
  );

  app.get(
    "/.well-known/oauth-authorization-server",
    {
      config: { cors: true },
      schema: {
        tags: ["OAuth"],
        operationId: "getAuthorizationServerMetadata",
        summary: "Authorization server metadata",
        description: "RFC 8414.",
        security: [],
        response: { 200: AuthorizationServerMetadata, ...errorResponses("HEADERS_TOO_LARGE") },
      },
    },
    async () => buildServerMetadata(publicUrl),
  );
}

function oauthErrorResponses(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = (Object.keys(OAUTH_ERRORS) as OAuthErrorCode[]).filter(
        (code) => OAUTH_ERRORS[code].status === status,
      );
      const description = codes.map((code) => `\`${code}\`: ${OAUTH_ERRORS[code].when}`).join("\n\n");
      const examples = Object.fromEntries(
        codes.map((code) => [code, { value: { error: code, error_description: OAUTH_ERRORS[code].when } }]),
      );
      const response = { description, content: { "application/json": { schema: Type.Ref("OAuthError"), examples } } };
      // Errors are thrown, so the type of their body does not matter to the handlers.
      return [status, response as unknown as TUnsafe<unknown>];
    }),
  );
}

/** A request without a body is an empty form. */
function asForm(body: unknown): Record<string, unknown> {
  return body !== null && typeof body === "object" ? (body as Record<string, unknown>) : {};
}
