import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { generateCodeVerifier, OAuth2Client } from "@badgateway/oauth2-client";
import * as oauth4webapi from "oauth4webapi";
import * as openidClient from "openid-client";
// @ts-expect-error: it has no types
import untypedPassport from "passport-oauth2";
// @ts-expect-error: it has no types
import untypedSimple from "simple-oauth2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import {
  type CallbackServer,
  type LoopbackServer,
  signIn,
  signUp,
  startCallbackServer,
  startLoopbackServer,
  startTestBrowser,
  type TestBrowser,
} from "../_harness/browser.ts";
import { type Client, newEmail, registerClient, Visitor } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { casesOfTier } from "../_harness/tier.ts";

/** How the application authenticates; a public one only sends its id. */
type Authentication = "none" | "basic" | "post";

interface Scenario {
  issuer: string;
  client: Client;
  redirectUri: string;
  authentication: Authentication;
  pkce: boolean;
}

interface Connected {
  accessToken: unknown;
  connectionId: unknown;
  userId: unknown;
  revoke(): Promise<unknown>;
}

interface StartedFlow {
  link: string;
  finish(callback: URL): Promise<Connected>;
}

type Library = (scenario: Scenario) => Promise<StartedFlow>;

const openid: Library = async ({ issuer, client, redirectUri, authentication, pkce }) => {
  const secret = client.secret ?? undefined;
  const how = {
    none: openidClient.None,
    basic: openidClient.ClientSecretBasic,
    post: openidClient.ClientSecretPost,
  }[authentication](secret);
  const config = await openidClient.discovery(new URL(issuer), client.id, undefined, how, {
    algorithm: "oauth2",
    execute: [openidClient.allowInsecureRequests],
  });
  expect(config.serverMetadata().supportsPKCE()).toBe(true);
  const state = openidClient.randomState();
  const verifier = pkce ? openidClient.randomPKCECodeVerifier() : undefined;
  const link = openidClient.buildAuthorizationUrl(config, { redirect_uri: redirectUri, state });
  if (verifier !== undefined) {
    link.searchParams.set("code_challenge", await openidClient.calculatePKCECodeChallenge(verifier));
    link.searchParams.set("code_challenge_method", "S256");
  }
  return {
    link: link.href,
    async finish(callback) {
      const checks = { expectedState: state, ...(verifier === undefined ? {} : { pkceCodeVerifier: verifier }) };
      const token = await openidClient.authorizationCodeGrant(config, callback, checks);
      return {
        accessToken: token.access_token,
        connectionId: token["connection_id"],
        userId: token["user_id"],
        revoke: () => openidClient.tokenRevocation(config, token.access_token),
      };
    },
  };
};

const oauth4web: Library = async ({ issuer, client: { id, secret }, redirectUri, authentication, pkce }) => {
  const insecure = { [oauth4webapi.allowInsecureRequests]: true };
  const how = {
    none: oauth4webapi.None,
    basic: oauth4webapi.ClientSecretBasic,
    post: oauth4webapi.ClientSecretPost,
  }[authentication](secret ?? "");
  const issuerUrl = new URL(issuer);
  const discovery = await oauth4webapi.discoveryRequest(issuerUrl, { algorithm: "oauth2", ...insecure });
  const server = await oauth4webapi.processDiscoveryResponse(issuerUrl, discovery);
  const client = { client_id: id };
  const state = oauth4webapi.generateRandomState();
  const verifier = pkce ? oauth4webapi.generateRandomCodeVerifier() : null;
  const link = new URL(server.authorization_endpoint ?? "");
  const parameters = { client_id: id, response_type: "code", redirect_uri: redirectUri, state };
  for (const [name, value] of Object.entries(parameters)) link.searchParams.set(name, value);
  if (verifier !== null) {
    link.searchParams.set("code_challenge", await oauth4webapi.calculatePKCECodeChallenge(verifier));
    link.searchParams.set("code_challenge_method", "S256");
  }
  return {
    link: link.href,
    async finish(callback) {
      const answer = oauth4webapi.validateAuthResponse(server, client, callback, state);
      const proof = verifier ?? oauth4webapi.nopkce;
      const response = await oauth4webapi.authorizationCodeGrantRequest(
        server,
        client,
        how,
        answer,
        redirectUri,
        proof,
        insecure,
      );
      const token = await oauth4webapi.processAuthorizationCodeResponse(server, client, response);
      return {
        accessToken: token.access_token,
        connectionId: token["connection_id"],
        userId: token["user_id"],
        revoke: async () =>
          oauth4webapi.processRevocationResponse(
            await oauth4webapi.revocationRequest(server, client, how, token.access_token, insecure),
          ),
      };
    },
  };
};

const badgateway: Library = async ({ issuer, client: { id, secret }, redirectUri, authentication, pkce }) => {
  const client = new OAuth2Client({
    server: issuer,
    clientId: id,
    ...(secret === null ? {} : { clientSecret: secret }),
    // For "basic" the library chooses by itself, based on the metadata.
    ...(authentication === "post" ? { authenticationMethod: "client_secret_post" } : {}),
  });
  const state = randomUUID();
  const flow = { redirectUri, state, ...(pkce ? { codeVerifier: await generateCodeVerifier() } : {}) };
  return {
    link: await client.authorizationCode.getAuthorizeUri(flow),
    async finish(callback) {
      const token = await client.authorizationCode.getTokenFromCodeRedirect(callback, flow);
      return {
        accessToken: token.accessToken,
        connectionId: token.extraParams?.["connection_id"],
        userId: token.extraParams?.["user_id"],
        revoke: () => client.revoke(token),
      };
    },
  };
};

interface SimpleGrant {
  authorizeURL(parameters: Record<string, string>): string;
  getToken(
    parameters: Record<string, string>,
  ): Promise<{ token: Record<string, unknown>; revoke(kind: string): Promise<unknown> }>;
}

const simple: Library = async ({ issuer, client: { id, secret }, redirectUri, authentication, pkce }) => {
  // It does not support public applications: for them it sends an empty secret.
  const grant: SimpleGrant = new untypedSimple.AuthorizationCode({
    client: { id, secret: secret ?? "" },
    auth: {
      tokenHost: issuer,
      tokenPath: "/v1/oauth/token",
      revokePath: "/v1/oauth/revoke",
      authorizePath: "/v1/oauth/authorize",
    },
    options: { authorizationMethod: authentication === "basic" ? "header" : "body" },
  });
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return {
    link: grant.authorizeURL({
      redirect_uri: redirectUri,
      state: "simple",
      ...(pkce ? { code_challenge: challenge, code_challenge_method: "S256" } : {}),
    }),
    async finish(callback) {
      expect(callback.searchParams.get("state")).toBe("simple");
      const code = callback.searchParams.get("code") ?? "";
      const proof = pkce ? { code_verifier: verifier } : {};
      const accessToken = await grant.getToken({ code, redirect_uri: redirectUri, ...proof });
      return {
        accessToken: accessToken.token["access_token"],
        connectionId: accessToken.token["connection_id"],
        userId: accessToken.token["user_id"],
        revoke: () => accessToken.revoke("access_token"),
      };
    },
  };
};

/** What passport adds to a strategy during one request. */
interface PassportAttempt {
  authenticate(request: IncomingMessage): void;
  redirect(location: string): void;
  success(user: Record<string, unknown>): void;
  fail(info: unknown): void;
  error(error: Error): void;
}

/** A small web application that signs people in with passport-oauth2: `/` leads to the service, `/callback` back. */
async function startPassportApplication(
  issuer: string,
  { id, secret }: Client,
  pkce: boolean,
): Promise<LoopbackServer & { outcome: Promise<Record<string, unknown>> }> {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  const strategy = new untypedPassport.Strategy(
    {
      authorizationURL: `${issuer}/v1/oauth/authorize`,
      tokenURL: `${issuer}/v1/oauth/token`,
      clientID: id,
      ...(secret === null ? {} : { clientSecret: secret }),
      callbackURL: "/callback",
      state: true,
      pkce,
    },
    (_token: string, _refresh: string, answer: object, _profile: object, done: (error: null, user: object) => void) =>
      done(null, answer),
  );
  const sessions = new Map<string, object>();
  const server = await startLoopbackServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const sessionId = /\bapp=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? randomUUID();
    const session = sessions.get(sessionId) ?? {};
    sessions.set(sessionId, session);
    response.setHeader("set-cookie", `app=${sessionId}; HttpOnly; SameSite=Lax`);
    const attempt: PassportAttempt = Object.assign(Object.create(strategy), {
      redirect: (location: string) => response.writeHead(302, { location }).end(),
      success(user: Record<string, unknown>) {
        resolve(user);
        response.end("Welcome back");
      },
      fail: (info: unknown) => attempt.error(new Error(JSON.stringify(info))),
      error(error: Error) {
        reject(error);
        response.end("This did not work");
      },
    });
    attempt.authenticate(Object.assign(request, { query: Object.fromEntries(url.searchParams), session }));
  });
  return { ...server, outcome };
}

/** Three of six are one of each authentication, with PKCE. */
const CASES: { authentication: Authentication; pkce: boolean }[] = [
  { authentication: "none", pkce: true },
  { authentication: "none", pkce: false },
  { authentication: "basic", pkce: true },
  { authentication: "basic", pkce: false },
  { authentication: "post", pkce: true },
  { authentication: "post", pkce: false },
];

function describeCase({ authentication, pkce }: { authentication: Authentication; pkce: boolean }): string {
  const application = authentication === "none" ? "a public application" : `a confidential one (${authentication})`;
  return `connects a person to ${application} ${pkce ? "with" : "without"} PKCE`;
}

describe("real OAuth client libraries with the real pages in a browser:", () => {
  let service: TestService;
  let browser: TestBrowser;
  let callbacks: CallbackServer;

  beforeAll(async () => {
    [service, browser, callbacks] = await Promise.all([startTestService(), startTestBrowser(), startCallbackServer()]);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await callbacks[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  function register(authentication: Authentication, requirePkce: boolean): Promise<Client> {
    return registerClient(service, { type: authentication === "none" ? "public" : "confidential", requirePkce });
  }

  /** A new person opens the link, signs up (or in, to an existing account) and allows it. */
  async function allow(link: string, hasAccount: boolean, callbackAddress: string): Promise<URL> {
    const email = newEmail();
    if (hasAccount) await new Visitor(service.url).signUp(email);
    await using visit = await browser.openPage();
    const { page } = visit;
    await page.goto(link);
    await (hasAccount ? signIn : signUp)(page, email);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Connect Test application?");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${callbackAddress}?**`);
    expect(visit.complaints).toEqual([]);
    return new URL(page.url());
  }

  async function expectToRunErrands({ id }: Client, { accessToken, connectionId, userId }: Omit<Connected, "revoke">) {
    const rows = await service.database.query("select id, user_id from connections where application_id = $1", [id]);
    expect(rows).toEqual([{ id: connectionId, user_id: userId }]);
    const api = createApi(service.url, { applicationId: id, token: String(accessToken) });
    expect(await api.created({ prompt: "Buy milk." })).toMatchObject({ status: "QUEUED", prompt: "Buy milk." });
    return api;
  }

  describe.each([
    ["openid-client", openid],
    ["oauth4webapi", oauth4web],
    ["@badgateway/oauth2-client", badgateway],
    ["simple-oauth2", simple],
  ])("%s", (_name, library) => {
    it.each(casesOfTier(CASES, { ci: 3 }).map((one) => [describeCase(one), one] as const))(
      "%s",
      async (_what, { authentication, pkce }) => {
        const client = await register(authentication, pkce);
        const { redirectUri } = callbacks;
        const flow = await library({ issuer: service.url, client, redirectUri, authentication, pkce });
        const connected = await flow.finish(await allow(flow.link, !pkce, redirectUri));
        const api = await expectToRunErrands(client, connected);
        await connected.revoke();
        expect((await api.list()).status).toBe(401);
      },
    );
  });

  describe("passport-oauth2", () => {
    const passportCases = CASES.filter(({ authentication }) => authentication !== "basic");
    it.each(passportCases.map((one) => [describeCase(one), one] as const))(
      "%s",
      async (_what, { authentication, pkce }) => {
        const client = await register(authentication, pkce);
        await using application = await startPassportApplication(service.url, client, pkce);
        await allow(`${application.url}/`, !pkce, `${application.url}/callback`);
        const token = await application.outcome;
        await expectToRunErrands(client, {
          accessToken: token["access_token"],
          connectionId: token["connection_id"],
          userId: token["user_id"],
        });
      },
    );
  });
});
