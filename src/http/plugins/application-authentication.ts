import type { FastifyReply, FastifyRequest } from "fastify";
import type { Application } from "../../applications/application.ts";
import type { Applications } from "../../applications/applications.ts";
import { CallerError } from "../../lib/errors.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { authenticateClient } from "../../oauth/client-authentication.ts";
import { OAuthError } from "../../oauth/protocol.ts";
import type { App, AppDependencies } from "../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    application: Application | null;
  }
}

type ApplicationGuard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** What a route for an application itself runs first: its own client id and secret, as at the token endpoint. */
export interface ApplicationGuards {
  mayChange: ApplicationGuard;
  mayRead: ApplicationGuard;
}

export function createApplicationGuards(
  scope: App,
  { applications, clock, limits }: Pick<AppDependencies, "applications" | "clock" | "limits">,
): ApplicationGuards {
  scope.decorateRequest("application", null);
  return {
    mayChange: requireApplication(applications, new TokenBuckets(limits.create, clock)),
    mayRead: requireApplication(applications, new TokenBuckets(limits.read, clock)),
  };
}

export function applicationOf(request: FastifyRequest): Application {
  if (request.application === null) throw new Error("the route does not require an application");
  return request.application;
}

function requireApplication(applications: Applications, buckets: TokenBuckets): ApplicationGuard {
  return async (request, reply) => {
    const application = await authenticateApplication(applications, request, reply);
    const { applicationId } = request.params as { applicationId: string };
    if (parseUuid(applicationId) !== application.id) {
      throw new CallerError(
        "APPLICATION_MISMATCH",
        "The client id and secret belong to another application than the one in the path.",
      );
    }
    const retryAfterSeconds = buckets.take(application.id);
    if (retryAfterSeconds > 0) {
      throw new CallerError(
        "RATE_LIMITED",
        `Too many requests of this application. Try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    request.application = application;
  };
}

async function authenticateApplication(
  applications: Applications,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Application> {
  const [header, ...others] = request.raw.headersDistinct["authorization"] ?? [];
  try {
    if (header === undefined || others.length > 0) throw new OAuthError("invalid_client", HOW_TO_AUTHENTICATE);
    const application = await authenticateClient(applications, header, {});
    if (application.type === "confidential") return application;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    reply.header("www-authenticate", 'Basic realm="errand"');
    throw new CallerError("UNAUTHENTICATED", error.message);
  }
  throw new CallerError(
    "FORBIDDEN",
    "A public application has no secret to prove who it is. Use the console, or `errand webhook` on the command line.",
  );
}

const HOW_TO_AUTHENTICATE = "Send the application's client id and secret by HTTP Basic.";
