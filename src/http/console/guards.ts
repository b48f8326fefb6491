import type { FastifyRequest } from "fastify";
import type { Visitor } from "../../console/visitor.ts";
import { CallerError } from "../../lib/errors.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";
import type { App, AppDependencies } from "../app.ts";
import { isLoopbackHost, webHeaders } from "../plugins/request-origin.ts";

declare module "fastify" {
  interface FastifyRequest {
    visitor: Visitor | null;
  }
}

type Guard = (request: FastifyRequest) => Promise<void>;

/** What a route of the console runs first: somebody is signed in, and the request comes from the console itself. */
export interface ConsoleGuards {
  isVisitor: Guard;
  isOwner: Guard;
  isOperator: Guard;
  /** After one of the others: everything that creates executions shares one limit, whoever pays for them. */
  mayCreate: Guard;
}

/** A page of another origin cannot send it without being asked for permission first, which nobody gives. */
const CONSOLE_HEADER = "x-errand-console";
const SAFE = new Set(["GET", "HEAD"]);

type GuardDependencies = Pick<AppDependencies, "people" | "console" | "publicUrl" | "clock" | "limits">;

export function createConsoleGuards(
  scope: App,
  { people, console: { visitors }, publicUrl, clock, limits }: GuardDependencies,
): ConsoleGuards {
  scope.decorateRequest("visitor", null);
  const creates = new TokenBuckets(limits.create, clock);

  async function welcome(request: FastifyRequest): Promise<Visitor> {
    requireConsoleRequest(request, publicUrl);
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) throw new CallerError("UNAUTHENTICATED", "Please sign in.");
    const visitor = await visitors.welcome(person);
    request.visitor = visitor;
    return visitor;
  }

  return {
    async isVisitor(request) {
      await welcome(request);
    },
    async isOwner(request) {
      if ((await welcome(request)).owner === null) {
        throw new CallerError(
          "FORBIDDEN",
          "Only owners of applications can do this. Ask the operator to make you one.",
        );
      }
    },
    async isOperator(request) {
      if (!(await welcome(request)).isOperator) {
        throw new CallerError("FORBIDDEN", "Only the owner of this installation can do this.");
      }
    },
    async mayCreate(request) {
      const { owner, person } = visitorOf(request);
      const retryAfterSeconds = creates.take(owner?.id ?? person.id);
      if (retryAfterSeconds > 0) {
        throw new CallerError("RATE_LIMITED", `That was too much at once. Try again in ${retryAfterSeconds} s.`, {
          retryAfterSeconds,
        });
      }
    },
  };
}

export function visitorOf(request: FastifyRequest): Visitor {
  if (request.visitor === null) throw new Error("the route does not require a visitor");
  return request.visitor;
}

/** Of a visitor who was let in as an owner. */
export function ownerOf(request: FastifyRequest): { id: string; balance: number } {
  const { owner } = visitorOf(request);
  if (owner === null) throw new Error("the route does not require an owner");
  return owner;
}

/** The cookie alone changes nothing: the console's own header has to be there, and no other origin may have sent it. */
export function requireConsoleRequest(request: FastifyRequest, publicUrl: string): void {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  const isForeign =
    (site !== undefined && site !== "same-origin" && site !== "none") ||
    (origin !== undefined && origin !== URL.parse(publicUrl)?.origin && !isLoopbackOrigin(origin, host));
  const isMarked = SAFE.has(request.method) || request.headers[CONSOLE_HEADER] !== undefined;
  if (isForeign || !isMarked) {
    throw new CallerError("FORBIDDEN", "This request does not come from the console.");
  }
}

/** Under whichever of its names the console was opened at this machine; any other name could be led here by anybody. */
function isLoopbackOrigin(origin: string, host: string | undefined): boolean {
  return isLoopbackHost(host) && (origin === `http://${host}` || origin === `https://${host}`);
}
