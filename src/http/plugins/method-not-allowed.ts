import type { HTTPMethods } from "fastify";
import { CallerError } from "../../lib/caller-error.ts";
import type { App } from "../app.ts";
import { answerPreflight } from "./cors.ts";

const METHODS: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

interface KnownPath {
  methods: Set<string>;
  cors: boolean;
}

/** Call before the routes are added; what it returns, after. */
export function watchPaths(app: App): (scope: App) => void {
  const paths = new Map<string, KnownPath>();
  app.addHook("onRoute", ({ url, method, config }) => {
    const path = paths.get(url) ?? { methods: new Set(), cors: false };
    for (const name of [method].flat()) path.methods.add(name);
    path.cors ||= config?.cors === true;
    paths.set(url, path);
  });
  return (scope) => {
    for (const [url, path] of [...paths]) addMethodNotAllowed(scope, url, path);
  };
}

/** A known path with another method is 405 with Allow, not 404; OPTIONS answers a preflight where CORS is on. */
function addMethodNotAllowed(scope: App, url: string, { methods, cors }: KnownPath): void {
  const missing = METHODS.filter((method) => !methods.has(method));
  const allow = [...methods, ...(cors ? ["OPTIONS"] : [])].join(", ");
  scope.route({
    method: missing,
    url,
    config: { cors },
    schema: { hide: true },
    // Before the body is read: whatever it is, the method is wrong.
    async onRequest(request, reply) {
      if (cors && request.method === "OPTIONS") return answerPreflight(reply, allow);
      reply.header("allow", allow);
      throw new CallerError("METHOD_NOT_ALLOWED", `${request.method} is not possible here, only ${allow}.`);
    },
    handler: () => {},
  });
}
