import type { FastifyReply, FastifyRequest } from "fastify";
import type { Application } from "../../applications/application.ts";
import type { Applications } from "../../applications/applications.ts";
import type { Connection, Connections } from "../../connections/connections.ts";
import { CallerError } from "../../lib/errors.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { authenticateClient } from "../../oauth/client-authentication.ts";
import { OAuthError } from "../../oauth/protocol.ts";
import type { App, AppDependencies } from "../dependencies.ts";

declare module "fastify" {
  interface FastifyRequest {
    connection: Connection | null;
    application: Application | null;
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
    mayChange: requireConnection(connections, new TokenBuckets(limits.create, clock)),
    mayRead: requireConnection(connections, new TokenBuckets(limits.read, clock)),
  };
}

/** For routes that take an application's client id and secret, as the token endpoint does. */
export function createApplicationGuards(
  scope: App,
  { applications, clock, limits }: Pick<AppDependencies, "applications" | "clock" | "limits">,
): Guards {
  scope.decorateRequest("application", null);
  return {
    mayChange: requireApplication(applications, new TokenBuckets(limits.create, clock)),
    mayRead: requireApplication(applications, new TokenBuckets(limits.read, clock)),
  };
}

export function connectionOf(request: FastifyRequest): Connection {
  if (request.connection === null) throw new Error("This route does not require a connection");
  return request.connection;
}

export function applicationOf(request: FastifyRequest): Application {
  if (request.application === null) throw new Error("This route does not require an application");
  return request.application;
}

function requireConnection(connections: Connections, buckets: TokenBuckets): Guard {
  return async (request, reply) => {
    const connection = await authenticateConnection(connections, request, reply);
    if (applicationIdOf(request) !== connection.applicationId) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The access token belongs to a different application than the one in the path.",
      );
    }
    limitRate(buckets, connection.id, "with this token");
    request.connection = connection;
  };
}

function requireApplication(applications: Applications, buckets: TokenBuckets): Guard {
  return async (request, reply) => {
    const application = await authenticateApplication(applications, request, reply);
    if (applicationIdOf(request) !== application.id) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The client id and secret belong to a different application than the one in the path.",
      );
    }
    limitRate(buckets, application.id, "from this application");
    request.application = application;
  };
}

function applicationIdOf(request: FastifyRequest): string | null {
  const { applicationId } = request.params as { applicationId: string };
  return parseUuid(applicationId);
}

function limitRate(buckets: TokenBuckets, key: string, whose: string): void {
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
  const header = readAuthorization(request);
  const token = header === null ? undefined : /^bearer +([\w~+/.=-]+) *$/i.exec(header)?.[1];
  if (token === undefined) {
    reply.header("www-authenticate", 'Bearer realm="errand"');
    throw new CallerError("UNAUTHENTICATED", "Send the connection access token: Authorization: Bearer <token>.");
  }
  const connection = await connections.authenticate(token);
  if (connection === null) {
    reply.header("www-authenticate", 'Bearer realm="errand", error="invalid_token"');
    throw new CallerError(
      "UNAUTHENTICATED",
      "The access token is unknown or was revoked. Connect the user again to get a new one.",
    );
  }
  return connection;
}

async function authenticateApplication(
  applications: Applications,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Application> {
  const header = readAuthorization(request);
  try {
    if (header === null) {
      throw new OAuthError("invalid_client", "Send the application's client id and secret as HTTP Basic credentials.");
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
    "A public application has no secret to authenticate with. Use the console, or `errand webhook` on the command line.",
  );
}

/** Null without the header, or with more than one. */
function readAuthorization(request: FastifyRequest): string | null {
  const [header, ...others] = request.raw.headersDistinct["authorization"] ?? [];
  return header === undefined || others.length > 0 ? null : header;
}
