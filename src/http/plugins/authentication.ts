import type { FastifyReply, FastifyRequest } from "fastify";
import type { Connection, Connections } from "../../connections/connections.ts";
import { CallerError } from "../../lib/errors.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { App, AppDependencies } from "../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    connection: Connection | null;
  }
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** What a route with a connection's token runs first. All reads share one limit, all changes another. */
export interface ConnectionGuards {
  mayChange: Guard;
  mayRead: Guard;
}

export function createConnectionGuards(
  scope: App,
  { connections, clock, limits }: Pick<AppDependencies, "connections" | "clock" | "limits">,
): ConnectionGuards {
  scope.decorateRequest("connection", null);
  return {
    mayChange: requireConnection(connections, new TokenBuckets(limits.create, clock)),
    mayRead: requireConnection(connections, new TokenBuckets(limits.read, clock)),
  };
}

export function connectionOf(request: FastifyRequest): Connection {
  if (request.connection === null) throw new Error("the route does not require a connection");
  return request.connection;
}

/** RFC 6750: the header only, never the query. Then: the path's application is the token's, and the rate is within its limit. */
function requireConnection(connections: Connections, buckets: TokenBuckets): Guard {
  return async (request, reply) => {
    const connection = await authenticateConnection(connections, request, reply);
    const { applicationId } = request.params as { applicationId: string };
    if (parseUuid(applicationId) !== connection.applicationId) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The access token belongs to another application than the one in the path.",
      );
    }
    const retryAfterSeconds = buckets.take(connection.id);
    if (retryAfterSeconds > 0) {
      throw new CallerError("RATE_LIMITED", `Too many requests with this token. Try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
    request.connection = connection;
  };
}

async function authenticateConnection(
  connections: Connections,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Connection> {
  const [header, ...others] = request.raw.headersDistinct["authorization"] ?? [];
  const token = header === undefined || others.length > 0 ? undefined : /^bearer +([\w~+/.=-]+) *$/i.exec(header)?.[1];
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
