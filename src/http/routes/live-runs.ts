import type { WebSocket } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import { FrameSender } from "../../connections/sign-in/viewer.ts";
import { ExecutionPath } from "../../contract/execution-request.ts";
import { LiveLink, type RunInput, type RunServiceMessage, type RunViewerMessage } from "../../contract/live-run.ts";
import type { LiveLinks } from "../../executions/live-link.ts";
import type { LiveControl, LiveViews } from "../../executions/live-view.ts";
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
    watchedLink: WatchedLink | null;
  }
}

type Link = { token: string };
type WatchedLink = NonNullable<Awaited<ReturnType<LiveLinks["open"]>>>;

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
        security: [{ connection: [] }, { oauth: [] }],
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
      return live.links.create(execution, "watch");
    },
  );
}

/** The page that shows the browser of a run, and its WebSocket. Registered after the plugin for WebSockets. */
export function addLiveRunPages(app: App, dependencies: AppDependencies): void {
  const { live, publicUrl, openResponses, clock, logger, stopping } = dependencies;
  app.decorateRequest("watchedLink", null);

  app.get("/live/:token", PAGE, async (request, reply) => {
    const { token } = request.params as Link;
    const link = await live.links.open(token);
    if (link === null) return sendPage(reply.code(404), liveRunEndedPage(UNKNOWN_LINK, []));
    const { isExpired, embeddingOrigins } = link;
    if (isExpired) return sendPage(reply.code(410), liveRunEndedPage(EXPIRED_LINK, embeddingOrigins));
    return sendPage(
      reply,
      liveRunPage({ ...link, mayControl: link.use !== "watch", path: `/live/${token}`, publicUrl }),
    );
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
    request.watchedLink = link;
  }

  function serve(socket: WebSocket, { executionId, use }: WatchedLink): void {
    const page = createSocketSender<RunServiceMessage>();
    const frames = new FrameSender();
    const take = (holderId: string) =>
      use === "watch" ? Promise.resolve(false) : live.views.takeControl(executionId, holderId, use);
    const control = new PageControl(executionId, live.views, take, (state) => page.send({ type: "control", state }));
    let url: string | null = null;
    page.send({ type: "welcome", ticket: "" });
    frames.attach((number, frame) => page.sendFrame(number, frame));
    const watching = live.views.watch(executionId, {
      onPicture(picture) {
        if (picture.page.url !== url) page.send({ type: "page", page: picture.page });
        url = picture.page.url;
        frames.show(picture);
      },
      onControl: (changed, isAsking) => control.onChanged(changed, isAsking),
      onEnd() {
        page.send({ type: "over" });
        page.close("over");
      },
    });
    socket.once("close", () => {
      watching[Symbol.dispose]();
      control.leave();
    });
    function receive(message: RunViewerMessage): void {
      if (message.type === "drawn") frames.confirm(message.number);
      else if (use !== "watch") control.receive(message);
    }
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
      if (request.watchedLink === null) return socket.terminate();
      // Other requests are logged when their response ends. Here there is none.
      request.log.info({ method: request.method, route: SOCKET_PATH, status: 101 }, "request");
      serve(socket, request.watchedLink);
    },
  });
}

/** Keeps the control of a person whose page is open. */
const RENEW_MS = 4_000;
/** What does not fit waits for the next statement. */
const MAX_WAITING_INPUTS = 500;

/** One page that may take over the browser of a run. */
class PageControl {
  readonly #executionId: string;
  readonly #views: LiveViews;
  readonly #take: (holderId: string) => Promise<boolean>;
  readonly #tell: (state: ControlState) => void;
  #holderId: string | null = null;
  #control: LiveControl | null = null;
  #isAsking = false;
  #told: ControlState | null = null;
  #renewal: NodeJS.Timeout | undefined;
  readonly #waiting: RunInput[] = [];
  #isSending = false;

  constructor(
    executionId: string,
    views: LiveViews,
    take: (holderId: string) => Promise<boolean>,
    tell: (state: ControlState) => void,
  ) {
    this.#executionId = executionId;
    this.#views = views;
    this.#take = take;
    this.#tell = tell;
  }

  onChanged(control: LiveControl | null, isAsking: boolean): void {
    this.#control = control;
    this.#isAsking = isAsking;
    const state = this.#describe(control);
    if (state !== this.#told) this.#tell(state);
    this.#told = state;
  }

  #describe(control: LiveControl | null): ControlState {
    if (this.#isAsking && control?.isHeld !== true) return "asking";
    if (control === null) return "run";
    if (control.holderId !== this.#holderId) return "another";
    return control.isHeld ? "yours" : "pausing";
  }

  receive(message: Exclude<RunViewerMessage, { type: "drawn" }>): void {
    switch (message.type) {
      case "take_over":
        this.#holderId = message.holder;
        clearInterval(this.#renewal);
        this.#renewal = setInterval(() => void this.#renew(message.holder), RENEW_MS);
        void this.#renew(message.holder);
        return;
      case "hand_back":
        if (this.#holderId !== null) void this.#views.releaseControl(this.#executionId, this.#holderId).catch(() => {});
        this.leave();
        return;
      case "input":
        if (this.#waiting.length < MAX_WAITING_INPUTS) this.#waiting.push(message.input);
        if (!this.#isSending) void this.#sendAll();
        return;
    }
  }

  /** Whoever comes back soon still has the control: otherwise it expires. */
  leave(): void {
    clearInterval(this.#renewal);
    this.#holderId = null;
  }

  /** If it fails, the next one may not. */
  async #renew(holderId: string): Promise<void> {
    const isTaken = await this.#take(holderId).catch(() => true);
    if (this.#holderId !== holderId) return;
    if (!isTaken) this.leave();
    this.onChanged(this.#control, this.#isAsking);
  }

  /** Movements during one statement go into the next one together. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const inputs = this.#waiting.splice(0);
      if (this.#holderId === null || this.#control?.holderId !== this.#holderId) continue;
      await this.#views.enter(this.#executionId, this.#holderId, inputs).catch(() => {});
    }
    this.#isSending = false;
  }
}

type ControlState = Extract<RunServiceMessage, { type: "control" }>["state"];
