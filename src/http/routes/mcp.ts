import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CallerError, describeError } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { McpDomain } from "../../mcp/domain.ts";
import { createErrandServer } from "../../mcp/server.ts";
import { buildResourceMetadata, type McpAccess, mcpResource } from "../../oauth/mcp-tokens.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { abortOnClose, holdUntilClosed } from "../open-response-limit.ts";
import { brand, layout } from "../pages/layout.ts";
import { sendPage } from "../pages/page-response.ts";
import { limitRate, readBearerToken } from "../plugins/authentication.ts";
import { isLoopbackHost } from "../plugins/request-origin.ts";

/** With and without the application: without it, the token says which one is meant. */
const PATHS = ["/mcp", "/mcp/:applicationId"];
const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Streamable HTTP. Every request stands for itself, so any process can serve it. */
export function addMcpRoutes(app: App, dependencies: AppDependencies): void {
  const { mcpTokens, openResponses, clock, limits, publicUrl } = dependencies;
  const reads = new TokenBuckets(limits.read, clock);
  const handler = createHandler(app, dependencies);
  const cancellations = createCancellations();
  app.addHook("onClose", () => handler.close());

  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<McpAccess> {
    const applicationId = applicationIdOf(request);
    const challenge = `Bearer realm="errand", resource_metadata="${metadataUrl(publicUrl, applicationId)}"`;
    const token = readBearerToken(request);
    if (token === null) {
      reply.header("www-authenticate", challenge);
      throw new CallerError("UNAUTHENTICATED", "Send a token for this MCP server: Authorization: Bearer <token>.");
    }
    const access = await mcpTokens.authenticate(token, mcpResource(publicUrl, applicationId));
    if (access !== null) return access;
    reply.header("www-authenticate", `${challenge}, error="invalid_token"`);
    throw new CallerError(
      "UNAUTHENTICATED",
      "The token is unknown, was revoked, or was not issued for this MCP server. Connect again to get a new one.",
    );
  }

  for (const path of PATHS) {
    app.post(path, { schema: { hide: true } }, async (request, reply) => {
      checkOrigin(request, publicUrl);
      const access = await authenticate(request, reply);
      limitRate(reads, access.connectionId, "with this token");
      holdUntilClosed(reply, openResponses.following, access.connectionId);
      const options = { authInfo: toAuthInfo(access), parsedBody: request.body };
      const canceled = cancellations.noteRequest(request, reply, access);
      const response = await handler.fetch(toWebRequest(request, abortOnClose(reply, canceled)), options);
      return sendResponse(reply, response);
    });
  }

  for (const path of [METADATA_PATH, ...PATHS.map((suffix) => `${METADATA_PATH}${suffix}`)]) {
    app.get(path, { config: { cors: true }, schema: { hide: true } }, async (request) =>
      buildResourceMetadata(publicUrl, applicationIdOf(request)),
    );
  }

  // Where the user returns to who has only renewed the connection.
  app.get("/connected", { config: { errors: "page" }, schema: { hide: true } }, async (request, reply) => {
    const { error } = request.query as { error?: unknown };
    const [title, text] =
      error === undefined
        ? ["You’re connected", "You can close this page. What you started continues."]
        : ["Not connected", "Nothing was changed. You can close this page."];
    const body = html`${brand()}<h1>${title}</h1><p>${text}</p>`;
    return sendPage(reply, { html: layout({ title, body }) });
  });
}

interface Cancellations {
  /** Notes a call until its response ends. The signal aborts when the client cancels it in another request. */
  noteRequest(request: FastifyRequest, reply: FastifyReply, access: McpAccess): AbortSignal;
}

/**
 * Clients of the revisions before 2026 cancel a call by a notification and keep its response open. Request ids are unique only
 * within a session, so each gets an id, which is all there is to it. Newer clients simply disconnect.
 */
function createCancellations(): Cancellations {
  const calls = new Map<string, AbortController>();

  return {
    noteRequest({ headers, body }, reply, { connectionId, clientId }) {
      const { id, method, params } = (body ?? {}) as {
        id?: unknown;
        method?: unknown;
        params?: { requestId?: unknown };
      };
      const session = headers["mcp-session-id"];
      const keyOf = (requestId: unknown) => JSON.stringify([connectionId, clientId, session, requestId]);
      const controller = new AbortController();
      if (method === "initialize") reply.header("mcp-session-id", randomUUID());
      if (session === undefined) return controller.signal;
      if (method === "notifications/cancelled") calls.get(keyOf(params?.requestId))?.abort();
      if (method === "tools/call") {
        const key = keyOf(id);
        calls.set(key, controller);
        reply.raw.once("close", () => calls.delete(key));
      }
      return controller.signal;
    },
  };
}

function createHandler(app: App, dependencies: AppDependencies) {
  const { executions, interactions, artifacts, connections, clock, limits, publicUrl, stopping, version } =
    dependencies;
  const changes = new TokenBuckets(limits.create, clock);
  const domain: McpDomain = {
    executions,
    interactions,
    artifacts,
    findConnection: (id) => connections.get(id),
    publicUrl,
    version,
    hasModel: dependencies.console.hasModel,
    stopping,
    onCreated: () => {},
    countChange: (connectionId) => limitRate(changes, connectionId, "with this token"),
    onFailure: (error) => app.log.error({ err: error }, "An MCP tool failed"),
  };
  return createMcpHandler(
    ({ authInfo }) => {
      const access = authInfo?.extra?.["access"] as McpAccess;
      return createErrandServer(domain, access);
    },
    {
      // At once, so that a waiting client knows that it is being served.
      responseMode: "sse",
      // Nothing changes that a client could not ask for.
      maxSubscriptions: 0,
      onerror: (error) => app.log.debug({ reason: describeError(error) }, "MCP request rejected"),
    },
  );
}

/** The token itself is not passed on: the tools need only what it gives access to. */
function toAuthInfo(access: McpAccess): AuthInfo {
  return { token: "", clientId: access.clientId, scopes: [], extra: { access } };
}

/** Null for /mcp itself. An id that is none leads to a resource that no token is for. */
function applicationIdOf(request: FastifyRequest): string | null {
  const { applicationId } = request.params as { applicationId?: string };
  if (applicationId === undefined) return null;
  const id = parseUuid(applicationId);
  if (id === null) throw new CallerError("NOT_FOUND", "There is no MCP server at this URL: /mcp/<application id>.");
  return id;
}

/** RFC 9728 §3.1: the path of the resource follows the well-known path. */
function metadataUrl(publicUrl: string, applicationId: string | null): string {
  const { origin, pathname } = new URL(mcpResource(publicUrl, applicationId));
  return `${origin}${METADATA_PATH}${pathname}`;
}

/** Against DNS rebinding: pages of other origins may not call this, nor other names that lead to this machine. */
function checkOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const own = new URL(publicUrl);
  const { origin, host } = headers;
  const isLocal = isLoopbackHost(own.host);
  const isForeign = origin !== undefined && origin !== own.origin && !(isLocal && isLoopbackOrigin(origin));
  if (isForeign || (isLocal && !isLoopbackHost(host))) {
    throw new CallerError("FORBIDDEN", "The MCP server does not accept requests from this origin or for this host.");
  }
}

function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHost(URL.parse(origin)?.host);
}

function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === "authorization" || value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The body was parsed before, and its length describes the one that was sent.
  headers.delete("content-length");
  const url = `http://localhost${request.url}`;
  return new Request(url, { method: request.method, headers, body: JSON.stringify(request.body ?? null), signal });
}

function sendResponse(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status).header("cache-control", "no-store").header("x-accel-buffering", "no");
  for (const [name, value] of response.headers) reply.header(name, value);
  return reply.send(response.body === null ? undefined : Readable.fromWeb(response.body as never));
}
