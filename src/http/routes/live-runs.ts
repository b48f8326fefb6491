import type { WebSocket } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import { FrameSender } from "../../connections/sign-in/viewer.ts";
import { ExecutionPath } from "../../contract/execution.ts";
import { LiveLink, type RunServiceMessage, type RunViewerMessage } from "../../contract/live-run.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { liveRunEndedPage, liveRunPage } from "../pages/live-run-page.ts";
import { sendPage } from "../pages/page-response.ts";
import { connectionOf, type Guards } from "../plugins/authentication.ts";
import { CONNECTION_ERRORS, errorResponses } from "../plugins/errors.ts";
import { checkHandshake, createSocketSender, parseRunViewerMessage, serveSocket } from "./live-socket.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the socket opens, so that a rejection is a plain HTTP response. */
    watchedExecutionId: string | null;
  }
}

type Link = { token: string };

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const SOCKET_PATH = "/live/:token/live";
const UNKNOWN_LINK = "There is no live view here. Its errand may have been deleted. Ask for a new link.";
const EXPIRED_LINK = "This link has expired. Ask for a new one.";

/** For applications: a link to the live view of one of their executions. */
export function addLiveLinkRoute(app: App, { executions, live }: AppDependencies, { mayRead }: Guards): void {
  app.post(
    "/v1/applications/:applicationId/executions/:executionId/live",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        tags: ["Executions"],
        security: [{ connection: [] }],
        operationId: "createExecutionLiveLink",
        summary: "Get a link to watch an execution live",
        description:
          "For the user to see what is done in their name. The page only shows: nothing can be entered. Nothing is captured while nobody watches.",
        params: ExecutionPath,
        response: {
          200: LiveLink,
          ...errorResponses(
            ...CONNECTION_ERRORS,
            "INVALID_REQUEST",
            "EXECUTION_NOT_FOUND",
            "EXECUTION_FINISHED",
            "UNSUPPORTED_MEDIA_TYPE",
            "PAYLOAD_TOO_LARGE",
          ),
        },
      },
    },
    async (request, reply) => {
      const execution = await executions.get(connectionOf(request).id, request.params.executionId);
      reply.header("cache-control", "no-store");
      return live.links.create(execution);
    },
  );
}

/** The page that shows the browser of a run, and its WebSocket. Registered after the plugin for WebSockets. */
export function addLiveRunPages(app: App, dependencies: AppDependencies): void {
  const { live, publicUrl, openResponses, clock, logger, stopping } = dependencies;
  app.decorateRequest("watchedExecutionId", null);

  app.get("/live/:token", PAGE, async (request, reply) => {
    const { token } = request.params as Link;
    const link = await live.links.open(token);
    if (link === null) return sendPage(reply.code(404), liveRunEndedPage(UNKNOWN_LINK, []));
    const { isExpired, embeddingOrigins } = link;
    if (isExpired) return sendPage(reply.code(410), liveRunEndedPage(EXPIRED_LINK, embeddingOrigins));
    return sendPage(reply, liveRunPage({ ...link, path: `/live/${token}`, publicUrl }));
  });

  async function join(request: FastifyRequest): Promise<void> {
    checkHandshake(request, publicUrl);
    const link = await live.links.open((request.params as Link).token);
    if (link === null) throw new CallerError("NOT_FOUND", UNKNOWN_LINK);
    if (link.isExpired) throw new CallerError("GONE", EXPIRED_LINK);
    const held = openResponses.following.acquire(link.executionId);
    const { socket } = request.raw;
    // The TCP connection's own event: the handshake can still fail.
    if (socket.destroyed) held[Symbol.dispose]();
    else socket.once("close", () => held[Symbol.dispose]());
    request.watchedExecutionId = link.executionId;
  }

  function serve(socket: WebSocket, executionId: string): void {
    const page = createSocketSender<RunServiceMessage>();
    const frames = new FrameSender();
    let url: string | null = null;
    page.send({ type: "welcome", ticket: "" });
    frames.attach((number, frame) => page.sendFrame(number, frame));
    const watching = live.views.watch(executionId, {
      onPicture(picture) {
        if (picture.page.url !== url) page.send({ type: "page", page: picture.page });
        url = picture.page.url;
        frames.show(picture);
      },
      onEnd() {
        page.send({ type: "over" });
        page.close("over");
      },
    });
    socket.once("close", () => watching[Symbol.dispose]());
    const receive = ({ number }: RunViewerMessage) => frames.confirm(number);
    serveSocket(socket, { parse: parseRunViewerMessage, receive }, { clock, logger, stopping });
    page.open(socket);
  }

  app.route({
    method: "GET",
    url: SOCKET_PATH,
    schema: { hide: true },
    preHandler: join,
    handler: () => {},
    wsHandler(socket, request) {
      if (request.watchedExecutionId === null) return socket.terminate();
      // Other requests are logged when their response ends. Here there is none.
      request.log.info({ method: request.method, route: SOCKET_PATH, status: 101 }, "request");
      serve(socket, request.watchedExecutionId);
    },
  });
}
