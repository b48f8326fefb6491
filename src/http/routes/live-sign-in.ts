import websocket from "@fastify/websocket";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ViewerSession } from "../../connections/sign-in/viewer.ts";
import type { ServiceMessage } from "../../contract/live-view.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { errorPage } from "../pages/error-pages.ts";
import { livePage } from "../pages/live-page.ts";
import { sendPage } from "../pages/page-response.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";
import {
  checkHandshake,
  createSocketSender,
  parseViewerMessage,
  type SocketViewer,
  serveSocket,
} from "./live-socket.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the socket opens, so that a rejection is a plain HTTP response. */
    joined: { viewer: SocketViewer; session: ViewerSession } | null;
  }
}

type Attempt = { id: string };

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const SOCKETS = { maxPayload: 64 * 1024, perMessageDeflate: false, closeTimeout: 2_000 };
const SIGN_IN_OVER =
  "This sign-in has ended or was started by someone else. Go back to the application and start again.";

/** The page on which a person signs in to an application's site, and its WebSocket. */
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
    return sendPage(reply, livePage({ ...opened, person, path: attemptPath(id), formToken, publicUrl }));
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
    // Mistakes of the client (message too long, not UTF-8, connection cut): the socket closes itself with the right code.
    errorHandler: (error, _socket, request) => request.log.debug({ reason: error.message }, "Live socket failed"),
  });
  app.decorateRequest("joined", null);

  /** The order of the checks matters: a rejection must not reveal what the caller may not know. */
  async function join(request: FastifyRequest): Promise<void> {
    const { raw } = request;
    checkHandshake(request, publicUrl);
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) throw new CallerError("UNAUTHENTICATED", "Sign in to this service first.");
    const { ticket } = request.query as Record<string, unknown>;
    const viewer: SocketViewer = {
      ...createSocketSender<ServiceMessage>(),
      isSignedIn: async () => (await people.findSignedIn(webHeaders(request)))?.id === person.id,
    };
    const session =
      typeof ticket === "string"
        ? await signIns?.join((request.params as Attempt).id, person.id, ticket, viewer)
        : null;
    if (!session) throw new CallerError("NOT_FOUND", SIGN_IN_OVER);
    // The TCP connection's own event: the handshake can still fail.
    if (raw.socket.destroyed) session.leave();
    else raw.socket.once("close", () => session.leave());
    request.joined = { viewer, session };
  }

  app.route({
    method: "GET",
    url: LIVE_PATH,
    schema: { hide: true },
    preHandler: join,
    handler: () => {},
    wsHandler(socket, request) {
      if (request.joined === null) return socket.terminate();
      const { viewer, session } = request.joined;
      // Other requests are logged when their response ends. Here there is none.
      request.log.info({ method: request.method, route: LIVE_PATH, status: 101 }, "request");
      const reader = { parse: parseViewerMessage, receive: session.receive };
      serveSocket(socket, reader, { clock, logger, stopping });
      viewer.open(socket);
    },
  });
}

const LIVE_PATH = "/connect/:id/live";
