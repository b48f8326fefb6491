import type { IncomingMessage } from "node:http";
import websocket from "@fastify/websocket";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ViewerSession } from "../../connections/sign-in/sign-in-attempts.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../app.ts";
import { errorPage } from "../pages/error-pages.ts";
import { livePage } from "../pages/live-page.ts";
import { sendPage } from "../pages/page-response.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";
import { createSocketViewer, type SocketViewer, serveSocket } from "./live-socket.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Taken before the socket opens, so that a refusal is plain HTTP. */
    joined: { viewer: SocketViewer; seat: ViewerSession } | null;
  }
}

type Attempt = { id: string };

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const SOCKETS = { maxPayload: 64 * 1024, perMessageDeflate: false, closeTimeout: 2_000 };
const SIGN_IN_OVER =
  "This sign-in is over or was started by somebody else. Go back to the application and start again.";

/** The page on which a person signs in to an application's site, and the socket behind it. */
export async function addLiveSignInRoutes(app: App, dependencies: AppDependencies): Promise<void> {
  const { signIns, people, publicUrl, formKey } = dependencies;
  const forms = createFormGuard({ key: formKey, publicUrl });

  app.get("/connect/:id", PAGE, async (request, reply) => {
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return redirectToSignIn(reply, id);
    const opened = await signIns?.open(id, person.id);
    if (!opened) return sendSignInOver(request, reply);
    const formToken = forms.issue(request, reply);
    return sendPage(reply, livePage({ ...opened, person, address: attemptPath(id), formToken, publicUrl }));
  });

  app.post("/connect/:id/cancel", PAGE, async (request, reply) => {
    forms.check(request);
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return redirectToSignIn(reply, id);
    const canceled = await signIns?.cancel(id, person.id);
    if (!canceled) return sendSignInOver(request, reply);
    return reply.header("cache-control", "no-store").redirect(canceled.to, 303);
  });

  await addSocket(app, dependencies);
}

function redirectToSignIn(reply: FastifyReply, id: string): FastifyReply {
  const query = new URLSearchParams({ return_to: attemptPath(id) });
  return reply.header("cache-control", "no-store").redirect(`/sign-in?${query}`, 303);
}

function sendSignInOver(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404), errorPage(SIGN_IN_OVER, request.id));
}

function attemptPath(id: string): string {
  return `/connect/${encodeURIComponent(id)}`;
}

async function addSocket(app: App, { signIns, people, publicUrl, clock, logger, stopping }: AppDependencies) {
  await app.register(websocket, {
    options: SOCKETS,
    // What a client does to its own socket (too long, not UTF-8, cut off): the socket closes itself, with the right code.
    errorHandler: (error, _socket, request) => request.log.debug({ reason: error.message }, "a live socket broke"),
  });
  app.decorateRequest("joined", null);

  /** The checks in this order, so that nobody learns from a refusal what they may not know. */
  async function join(request: FastifyRequest): Promise<void> {
    const { raw } = request;
    if (!request.ws) throw new CallerError("INVALID_REQUEST", "This address is for the socket of a sign-in page.");
    checkHandshake(raw);
    checkOrigin(request, publicUrl);
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) throw new CallerError("UNAUTHENTICATED", "Sign in to this service first.");
    const { ticket } = request.query as Record<string, unknown>;
    const viewer = createSocketViewer(async () => (await people.findSignedIn(webHeaders(request)))?.id === person.id);
    const seat =
      typeof ticket === "string"
        ? await signIns?.join((request.params as Attempt).id, person.id, ticket, viewer)
        : null;
    if (!seat) throw new CallerError("NOT_FOUND", SIGN_IN_OVER);
    // The connection itself, since the handshake on it can still fail.
    if (raw.socket.destroyed) seat.leave();
    else raw.socket.once("close", () => seat.leave());
    request.joined = { viewer, seat };
  }

  app.route({
    method: "GET",
    url: LIVE_PATH,
    schema: { hide: true },
    preHandler: join,
    handler: () => {},
    wsHandler(socket, request) {
      if (request.joined === null) return socket.terminate();
      const { viewer, seat } = request.joined;
      // The answer that every other request's line waits for never comes here.
      request.log.info({ method: request.method, route: LIVE_PATH, status: 101 }, "request");
      serveSocket(socket, seat, { clock, logger, stopping });
      viewer.open(socket);
    },
  });
}

const LIVE_PATH = "/connect/:id/live";

const LIVE_URL = /^\/connect\/[^/?#]+\/live(?:\?|$)/;
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;
const WEBSOCKET_VERSION = "13";

/**
 * Whether this request may leave HTTP for a WebSocket. On any other address the wish is ignored, as RFC 9110 §7.8
 * allows, and the request answered like one that never had it.
 */
export function mayUpgrade({ method, url, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && LIVE_URL.test(url ?? "");
}

/** Throws unless the handshake can succeed (RFC 6455 §4.2.1): a ticket must not be spent on one that cannot. */
function checkHandshake({ headers }: IncomingMessage): void {
  if (
    !WEBSOCKET_KEY.test(headers["sec-websocket-key"] ?? "") ||
    headers["sec-websocket-version"] !== WEBSOCKET_VERSION
  ) {
    throw new CallerError("INVALID_REQUEST", "This is not a WebSocket handshake of version 13.");
  }
}

/** Browsers always say where a socket comes from, and nothing else keeps other sites from using a person's cookie. */
function checkOrigin({ headers, protocol }: FastifyRequest, publicUrl: string): void {
  const from = URL.parse(headers.origin ?? "")?.origin;
  const ours = [publicUrl, `${protocol}://${headers.host}`].map((url) => URL.parse(url)?.origin);
  if (from === undefined || from === "null" || !ours.includes(from))
    throw new CallerError("INVALID_REQUEST", "This socket can be opened only from a page of this service.");
}
