import websocket from "@fastify/websocket";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Seat } from "../../connections/sign-in/sign-ins.ts";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { attendSocket } from "../live/attend-socket.ts";
import { checkHandshake, checkOrigin, LIVE_PATH } from "../live/live-upgrade.ts";
import { createSocketViewer, type SocketViewer } from "../live/socket-viewer.ts";
import { errorPage } from "../pages/error-page.ts";
import { createFormGuard } from "../pages/form-guard.ts";
import { livePage } from "../pages/live-page.ts";
import { sendPage } from "../pages/send-page.ts";
import { webHeaders } from "../pages/web-headers.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Taken before the socket opens, so that a refusal is plain HTTP. */
    joined: { viewer: SocketViewer; seat: Seat } | null;
  }
}

type Attempt = { id: string };

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const SOCKETS = { maxPayload: 64 * 1024, perMessageDeflate: false, closeTimeout: 2_000 };
const OVER = "This sign-in is over or was started by somebody else. Go back to the application and start again.";

/** The page on which a person signs in to an application's site, and the socket behind it. */
export async function addLiveSignInRoutes(app: App, dependencies: AppDependencies): Promise<void> {
  const { signIns, people, publicUrl, formKey } = dependencies;
  const forms = createFormGuard({ key: formKey, publicUrl });

  app.get("/connect/:id", PAGE, async (request, reply) => {
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return askToSignIn(reply, id);
    const opened = await signIns?.open(id, person.id);
    if (!opened) return sayThatItIsOver(request, reply);
    const formToken = forms.issue(request, reply);
    return sendPage(reply, livePage({ ...opened, person, address: addressOf(id), formToken, publicUrl }));
  });

  app.post("/connect/:id/cancel", PAGE, async (request, reply) => {
    forms.check(request);
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return askToSignIn(reply, id);
    const canceled = await signIns?.cancel(id, person.id);
    if (!canceled) return sayThatItIsOver(request, reply);
    return reply.header("cache-control", "no-store").redirect(canceled.to, 303);
  });

  await addSocket(app, dependencies);
}

function askToSignIn(reply: FastifyReply, id: string): FastifyReply {
  const query = new URLSearchParams({ return_to: addressOf(id) });
  return reply.header("cache-control", "no-store").redirect(`/sign-in?${query}`, 303);
}

function sayThatItIsOver(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404), errorPage(OVER, request.id));
}

function addressOf(id: string): string {
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
    if (!seat) throw new CallerError("NOT_FOUND", OVER);
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
      attendSocket(socket, seat, { clock, logger, stopping });
      viewer.open(socket);
    },
  });
}
