import type { FastifyRequest } from "fastify";
import type { Visitor } from "../../console/visitor.ts";
import { CallerError } from "../../lib/errors.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { isLoopbackHost, webHeaders } from "../plugins/request-origin.ts";

declare module "fastify" {
  interface FastifyRequest {
    visitor: Visitor | null;
  }
}

type Guard = (request: FastifyRequest) => Promise<void>;

/** Hooks that a console route runs first: the request comes from the console, and its sender is signed in and entitled. */
export interface ConsoleGuards {
  requireVisitor: Guard;
  requireOwner: Guard;
  requireOperator: Guard;
  /** Runs after one of the others. All routes that create executions share one rate limit. */
  limitCreates: Guard;
}

/** A page of another origin would need a CORS preflight to send this header, and the console allows none. */
const CONSOLE_HEADER = "x-errand-console";
const SAFE = new Set(["GET", "HEAD"]);

type GuardDependencies = Pick<AppDependencies, "people" | "console" | "publicUrl" | "clock" | "limits">;

export function createConsoleGuards(
  scope: App,
  { people, console: { visitors }, publicUrl, clock, limits }: GuardDependencies,
): ConsoleGuards {
  scope.decorateRequest("visitor", null);
  const creates = new TokenBuckets(limits.create, clock);

  async function identify(request: FastifyRequest): Promise<Visitor> {
    requireConsoleRequest(request, publicUrl);
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) throw new CallerError("UNAUTHENTICATED", "Please sign in.");
    const visitor = await visitors.identify(person);
    request.visitor = visitor;
    return visitor;
  }

  return {
    async requireVisitor(request) {
      await identify(request);
    },
    async requireOwner(request) {
      if ((await identify(request)).owner === null) {
        throw new CallerError(
          "FORBIDDEN",
          "Only application owners can do this. Ask the operator of this installation to make you an owner.",
        );
      }
    },
    async requireOperator(request) {
      if (!(await identify(request)).isOperator) {
        throw new CallerError("FORBIDDEN", "Only the operator of this installation can do this.");
      }
    },
    async limitCreates(request) {
      const { owner, person } = visitorOf(request);
      const retryAfterSeconds = creates.take(owner?.id ?? person.id);
      if (retryAfterSeconds > 0) {
        throw new CallerError("RATE_LIMITED", `Too many requests. Try again in ${retryAfterSeconds} s.`, {
          retryAfterSeconds,
        });
      }
    },
  };
}

export function visitorOf(request: FastifyRequest): Visitor {
  if (request.visitor === null) throw new Error("This route does not require a visitor");
  return request.visitor;
}

/** For routes with `requireOwner`. */
export function ownerOf(request: FastifyRequest): { id: string; balance: number } {
  const { owner } = visitorOf(request);
  if (owner === null) throw new Error("This route does not require an owner");
  return owner;
}

/** The cookie alone is not enough for changes: the console's header must be present, and no other origin may be the sender. */
export function requireConsoleRequest(request: FastifyRequest, publicUrl: string): void {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  const isForeign =
    (site !== undefined && site !== "same-origin" && site !== "none") ||
    (origin !== undefined && origin !== URL.parse(publicUrl)?.origin && !isLoopbackOrigin(origin, host));
  const isMarked = SAFE.has(request.method) || request.headers[CONSOLE_HEADER] !== undefined;
  if (isForeign || !isMarked) {
    throw new CallerError("FORBIDDEN", "This request was not sent by the console.");
  }
}

/** The console may be opened under any name of this machine. Other names could be pointed here by anyone (DNS rebinding). */
function isLoopbackOrigin(origin: string, host: string | undefined): boolean {
  return isLoopbackHost(host) && (origin === `http://${host}` || origin === `https://${host}`);
}
