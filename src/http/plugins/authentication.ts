import type { FastifyReply, FastifyRequest } from "fastify";
import type { Application } from "../../applications/application.ts";
import type { Applications } from "../../applications/applications.ts";
import type { OwnerKey, OwnerKeyScope, OwnerKeys } from "../../applications/owner-keys.ts";
import type { Connection, Connections } from "../../connections/connections.ts";
import type { Clock } from "../../lib/clock.ts";
import { CallerError } from "../../lib/errors.ts";
import { type RateLimit, TokenBuckets } from "../../lib/token-bucket.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { authenticateClient } from "../../oauth/client-authentication.ts";
import { OAuthError } from "../../oauth/protocol.ts";
import type { App, AppDependencies } from "../dependencies.ts";

declare module "fastify" {
  interface FastifyRequest {
    connection: Connection | null;
    /** The id of the application that the caller may manage. */
    managedApplicationId: string | null;
    ownerKey: OwnerKey | null;
  }
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Hooks that a route runs first: authentication and rate limit. All reads share one limit, all changes another. */
export interface Guards {
  mayChange: Guard;
  mayRead: Guard;
}

/** For routes that take a connection's access token. */
export function createConnectionGuards(
  scope: App,
  { connections, clock, limits }: Pick<AppDependencies, "connections" | "clock" | "limits">,
): Guards {
  scope.decorateRequest("connection", null);
  return {
    mayChange: requireConnection(connections, createLimit("change", limits.create, clock)),
    mayRead: requireConnection(connections, createLimit("read", limits.read, clock)),
  };
}

type ManagementDependencies = Pick<AppDependencies, "applications" | "ownerKeys" | "clock" | "limits">;

interface ManagementGuards {
  /** An owner's key only. */
  owner: Guards;
  /** An owner's key, or the application's own client id and secret. */
  ownerOrApplication: Guards;
}

/** For routes that manage an application. They never take a connection's token. */
export function createManagementGuards(scope: App, dependencies: ManagementDependencies): ManagementGuards {
  const { clock, limits } = dependencies;
  scope.decorateRequest("managedApplicationId", null);
  scope.decorateRequest("ownerKey", null);
  const change = { scope: "manage", limit: createLimit("change", limits.create, clock) } as const;
  const read = { scope: "read", limit: createLimit("read", limits.read, clock) } as const;
  return {
    owner: {
      mayChange: requireOwner(dependencies, change),
      mayRead: requireOwner(dependencies, read),
    },
    ownerOrApplication: {
      mayChange: requireOwnerOrApplication(dependencies, change),
      mayRead: requireOwnerOrApplication(dependencies, read),
    },
  };
}

export function connectionOf(request: FastifyRequest): Connection {
  if (request.connection === null) throw new Error("This route does not require a connection");
  return request.connection;
}

export function managedApplicationIdOf(request: FastifyRequest): string {
  if (request.managedApplicationId === null) throw new Error("This route does not require an application");
  return request.managedApplicationId;
}

export function ownerKeyOf(request: FastifyRequest): OwnerKey {
  if (request.ownerKey === null) throw new Error("This route does not require an owner's key");
  return request.ownerKey;
}

interface Limit {
  name: string;
  buckets: TokenBuckets;
}

function createLimit(name: string, limit: RateLimit, clock: Clock): Limit {
  return { name, buckets: new TokenBuckets(limit, clock) };
}

function requireConnection(connections: Connections, limit: Limit): Guard {
  return async (request, reply) => {
    const connection = await authenticateConnection(connections, request, reply);
    const applicationId = applicationIdOf(request);
    if (applicationId !== undefined && applicationId !== connection.applicationId) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The access token belongs to a different application than the one in the path.",
      );
    }
    limitCaller(reply, limit, connection.id, "with this token");
    request.connection = connection;
  };
}

interface Permission {
  scope: OwnerKeyScope;
  limit: Limit;
}

function requireOwner({ ownerKeys }: ManagementDependencies, { scope, limit }: Permission): Guard {
  return async (request, reply) => {
    const key = await authenticateOwner(ownerKeys, request, reply);
    limitCaller(reply, limit, key.id, "with this key");
    const applicationId = applicationIdOf(request) ?? null;
    if (applicationId === null || !(await ownerKeys.mayUse(key, applicationId))) {
      throw new CallerError(
        "NOT_FOUND",
        "The key's owner has no application with this id, or the key is for another one.",
      );
    }
    if (scope === "manage" && key.scope !== "manage") {
      reply.header("www-authenticate", 'Bearer realm="errand", error="insufficient_scope", scope="manage"');
      throw new CallerError("FORBIDDEN", "This key may only read. In the console, create one with the scope Manage.");
    }
    request.ownerKey = key;
    request.managedApplicationId = applicationId;
  };
}

function requireOwnerOrApplication(dependencies: ManagementDependencies, permission: Permission): Guard {
  const asOwner = requireOwner(dependencies, permission);
  const asApplication = requireApplication(dependencies.applications, permission.limit);
  return (request, reply) => (readBearerToken(request) === null ? asApplication : asOwner)(request, reply);
}

function requireApplication(applications: Applications, limit: Limit): Guard {
  return async (request, reply) => {
    const application = await authenticateApplication(applications, request, reply);
    if (applicationIdOf(request) !== application.id) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The client id and secret belong to a different application than the one in the path.",
      );
    }
    limitCaller(reply, limit, application.id, "from this application");
    request.managedApplicationId = application.id;
  };
}

/** Undefined if the path has none, null if it is not a UUID. */
function applicationIdOf(request: FastifyRequest): string | null | undefined {
  const { applicationId } = request.params as { applicationId?: string };
  return applicationId === undefined ? undefined : parseUuid(applicationId);
}

/** Every response says what is left, in the syntax of the IETF draft "RateLimit header fields for HTTP". */
function limitCaller(reply: FastifyReply, { name, buckets }: Limit, key: string, whose: string): void {
  try {
    limitRate(buckets, key, whose);
  } finally {
    const { calls, windowSeconds, remaining, resetSeconds } = buckets.peek(key);
    reply
      .header("ratelimit-policy", `"${name}";q=${calls};w=${windowSeconds}`)
      .header("ratelimit", `"${name}";r=${remaining};t=${resetSeconds}`);
  }
}

export function limitRate(buckets: TokenBuckets, key: string, whose: string): void {
  const retryAfterSeconds = buckets.take(key);
  if (retryAfterSeconds <= 0) return;
  throw new CallerError("RATE_LIMITED", `Too many requests ${whose}. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

/** RFC 6750: the token in the header, never in the query. */
async function authenticateConnection(
  connections: Connections,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Connection> {
  const token = readBearerToken(request);
  if (token === null) {
    reply.header("www-authenticate", 'Bearer realm="errand"');
    throw new CallerError("UNAUTHENTICATED", "Send the connection access token: Authorization: Bearer <token>.");
  }
  const connection = await connections.authenticate(token);
  if (connection === null) {
    reply.header("www-authenticate", 'Bearer realm="errand", error="invalid_token"');
    throw new CallerError("UNAUTHENTICATED", OTHER_CREDENTIALS.get(token.slice(0, 10)) ?? UNKNOWN_TOKEN);
  }
  return connection;
}

const UNKNOWN_TOKEN = "The access token is unknown or was revoked. Connect the user again to get a new one.";
const OTHER_CREDENTIALS = new Map([
  ["errand_ok_", "This is an owner's API key. Send the access token of a connection."],
  ["errand_mt_", "This is a token for /mcp. Send the access token of a connection."],
  ["errand_cs_", "This is a client secret. Send the access token of a connection."],
]);

async function authenticateOwner(
  ownerKeys: OwnerKeys,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OwnerKey> {
  const secret = readBearerToken(request);
  if (secret === null) {
    reply.header("www-authenticate", 'Bearer realm="errand"');
    throw new CallerError("UNAUTHENTICATED", "Send an owner's API key: Authorization: Bearer <key>.");
  }
  const key = await ownerKeys.authenticate(secret);
  if (key === null) {
    reply.header("www-authenticate", 'Bearer realm="errand", error="invalid_token"');
    throw new CallerError(
      "UNAUTHENTICATED",
      "This is not a valid API key of an owner. Create one in the console. The token of a connection is not accepted here.",
    );
  }
  return key;
}

async function authenticateApplication(
  applications: Applications,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Application> {
  const header = readAuthorization(request);
  try {
    if (header === null) {
      throw new OAuthError(
        "invalid_client",
        "Send the application's client id and secret as HTTP Basic credentials, or an owner's API key as a bearer token.",
      );
    }
    const application = await authenticateClient(applications, header, {});
    if (application.type === "confidential") return application;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    reply.header("www-authenticate", 'Basic realm="errand"');
    throw new CallerError("UNAUTHENTICATED", error.message);
  }
  throw new CallerError(
    "FORBIDDEN",
    "A public application has no secret to authenticate with. Use an owner's API key, which the console creates.",
  );
}

/** Null without a token, or with more than one. */
export function readBearerToken(request: FastifyRequest): string | null {
  const header = readAuthorization(request);
  return header === null ? null : (/^bearer +([\w~+/.=-]+) *$/i.exec(header)?.[1] ?? null);
}

/** Null without the header, or with more than one. */
function readAuthorization(request: FastifyRequest): string | null {
  const [header, ...others] = request.raw.headersDistinct["authorization"] ?? [];
  return header === undefined || others.length > 0 ? null : header;
}
