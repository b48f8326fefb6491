import websocket from "@fastify/websocket";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SignIns } from "../../connections/sign-in/sign-ins.ts";
import type { CredentialEntry } from "../../connections/sign-in/store-credentials.ts";
import type { ViewerSession } from "../../connections/sign-in/viewer.ts";
import type { ServiceMessage } from "../../contract/live-view.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { codePreviewPage, credentialsPage } from "../pages/credentials-page.ts";
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
    if (!opened) {
      const isAsked = await signIns?.openCredentials(id, person.id);
      return isAsked ? reply.redirect(credentialsPath(id), 303) : sendSignInOver(request, reply);
    }
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

  addCredentialRoutes(app, dependencies);
  await addSocket(app, dependencies);
}

/** The page on which a person may store their credentials, before they go back to the application. */
function addCredentialRoutes(app: App, { signIns, people, publicUrl, formKey }: AppDependencies): void {
  const forms = createFormGuard({ key: formKey, publicUrl });

  app.get("/connect/:id/credentials", PAGE, async (request, reply) => {
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return redirectToSignIn(reply, id);
    const step = await signIns?.openCredentials(id, person.id);
    if (!step) return sendSignInOver(request, reply);
    const formToken = forms.issue(request, reply);
    const page = { ...step, path: credentialsPath(id), formToken, userName: "", problem: null };
    return sendPage(reply, credentialsPage(page));
  });

  app.post("/connect/:id/credentials", PAGE, async (request, reply) => {
    forms.check(request);
    const { id } = request.params as Attempt;
    const person = await people.findSignedIn(webHeaders(request));
    if (person === null) return redirectToSignIn(reply, id);
    const step = await signIns?.openCredentials(id, person.id);
    if (!step || signIns === null) return sendSignInOver(request, reply);
    const entry = readEntry(request.body as Record<string, unknown>);
    const { code, problem } = await storeEntry(signIns, id, person.id, entry);
    const page = { ...step, path: credentialsPath(id), formToken: forms.issue(request, reply) };
    if (problem !== null) {
      return sendPage(reply.code(400), credentialsPage({ ...page, userName: entry?.userName ?? "", problem }));
    }
    if (code !== null) return sendPage(reply, codePreviewPage({ ...page, code }));
    const back = await signIns.endCredentials(id, person.id);
    if (back === null) return sendSignInOver(request, reply);
    return reply.header("cache-control", "no-store").redirect(back.to, 303);
  });
}

/** Null when the person stores nothing. */
function readEntry(form: Record<string, unknown>): CredentialEntry | null {
  if (form["decision"] !== "store") return null;
  const read = (name: string) => (typeof form[name] === "string" ? form[name] : "");
  return { userName: read("user_name"), password: read("password"), totpSecret: read("totp_secret") };
}

/** A problem is for the person. What they typed is secret, except for the user name, and is not sent back. */
async function storeEntry(signIns: SignIns, id: string, userId: string, entry: CredentialEntry | null) {
  if (entry === null) return { code: null, problem: null };
  try {
    return { code: (await signIns.storeCredentials(id, userId, entry))?.code ?? null, problem: null };
  } catch (error) {
    if (error instanceof CallerError) return { code: null, problem: error.message };
    throw error;
  }
}

function redirectToSignIn(reply: FastifyReply, id: string): FastifyReply {
  const query = new URLSearchParams({ return_to: attemptPath(id) });
  return reply.header("cache-control", "no-store").redirect(`/sign-in?${query}`, 303);
}

function sendSignInOver(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404), errorPage(SIGN_IN_OVER, request.id));
}

function credentialsPath(id: string): string {
  return `${attemptPath(id)}/credentials`;
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
