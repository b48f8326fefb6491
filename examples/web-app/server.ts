/**
 * A small web application: sign in with Errand, run an errand, approve what it is about to do, see the receipt. Requests respond
 * at once; how an errand ended is told by a webhook.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type AuthorizationRequest,
  Errand,
  ErrandError,
  ExecutionNotFinished,
  OAuthError,
  WebhookVerificationFailed,
} from "@errand/sdk";
import { errandPage, homePage, messagePage } from "./pages.ts";

const {
  APP_URL = "http://127.0.0.1:3000",
  ERRAND_URL = "http://127.0.0.1:8787",
  APPLICATION_ID = "",
  CLIENT_SECRET,
  WEBHOOK_SECRET = "",
} = process.env;

const errand = new Errand({
  baseUrl: ERRAND_URL,
  applicationId: APPLICATION_ID,
  clientSecret: CLIENT_SECRET,
  redirectUri: `${APP_URL}/callback`,
});

/** A visitor's session. An application with accounts keeps the token with the account, encrypted. */
interface Session {
  accessToken?: string | undefined;
  pending?: AuthorizationRequest | undefined;
}

const sessions = new Map<string, Session>();
/** What webhooks said, by execution. */
const notices = new Map<string, string>();

/** What a handler needs. `id` and `file` come from the path. */
interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  session: Session;
  id: string;
  file: string;
}

const ROUTES: [method: string, path: RegExp, handle: (visit: Visit) => Promise<void>][] = [
  ["GET", /^\/$/, showHome],
  ["POST", /^\/sign-in$/, signIn],
  ["GET", /^\/callback$/, finishSignIn],
  ["POST", /^\/sign-out$/, signOut],
  ["POST", /^\/errands$/, startErrand],
  ["GET", /^\/errands\/(?<id>[\w-]+)$/, showErrand],
  ["GET", /^\/errands\/(?<id>[\w-]+)\/files\/(?<file>[\w-]+)$/, sendFile],
  ["POST", /^\/webhooks\/errand$/, receiveWebhook],
];

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", APP_URL);
  const session = findSession(request, response);
  for (const [method, path, handle] of ROUTES) {
    const match = request.method === method ? path.exec(pathname) : null;
    if (match === null) continue;
    const { id = "", file = "" } = match.groups ?? {};
    handle({ request, response, session, id, file }).catch((error: unknown) => handleError(error, session, response));
    return;
  }
  sendPage(response, messagePage("There is no such page."), 404);
});

async function showHome({ response, session }: Visit): Promise<void> {
  if (session.accessToken === undefined) return sendPage(response, homePage(null));
  const { executions } = await clientOf(session).executions.page({ limit: 10 });
  sendPage(response, homePage(executions));
}

async function signIn({ response, session }: Visit): Promise<void> {
  connect(session, response, await errand.oauth.authorizationUrl());
}

async function finishSignIn({ request, response, session }: Visit): Promise<void> {
  if (session.pending === undefined) return redirect(response, "/");
  const { access_token } = await errand.oauth.exchange(request.url ?? "", session.pending);
  session.accessToken = access_token;
  session.pending = undefined;
  redirect(response, "/");
}

async function signOut({ response, session }: Visit): Promise<void> {
  if (session.accessToken !== undefined) await errand.oauth.revoke(session.accessToken);
  session.accessToken = undefined;
  redirect(response, "/");
}

async function startErrand({ request, response, session }: Visit): Promise<void> {
  const form = new URLSearchParams(await text(request));
  const { id } = await clientOf(session).executions.create({
    prompt: form.get("prompt") ?? "",
    approval: form.has("ask") ? "commits" : undefined,
    // Of the form: sending it twice starts one errand.
    idempotencyKey: form.get("key") ?? undefined,
  });
  redirect(response, `/errands/${id}`);
}

async function showErrand({ response, session, id }: Visit): Promise<void> {
  const client = clientOf(session);
  const execution = await client.executions.get(id);
  const notice = notices.get(id) ?? null;
  const evidence = await client.executions.evidence(id).catch((error: unknown) => {
    if (error instanceof ExecutionNotFinished) return null;
    throw error;
  });
  const interaction = evidence === null ? await client.interactions.get(id) : null;
  sendPage(response, errandPage({ execution, evidence, interaction, notice }));
}

/** The visitor's browser has no token, so the file comes through here. */
async function sendFile({ response, session, id, file }: Visit): Promise<void> {
  const download = await clientOf(session).artifacts.download(id, file);
  response.writeHead(200, {
    "content-type": download.headers.get("content-type") ?? "application/octet-stream",
    "content-disposition": download.headers.get("content-disposition") ?? "attachment",
    "x-content-type-options": "nosniff",
  });
  if (download.body !== null) Readable.from(download.body).pipe(response);
}

async function receiveWebhook({ request, response }: Visit): Promise<void> {
  const message = await errand.webhooks.verify(await text(request), request.headers, WEBHOOK_SECRET);
  response.writeHead(204).end();
  if (message.type === "execution.completed" || message.type === "execution.failed") {
    // Here a real application would send its user an email, or a notification.
    notices.set(message.data.execution.id, message.timestamp);
  }
}

function clientOf({ accessToken = "" }: Session): Errand {
  return errand.withAccessToken(accessToken);
}

function handleError(error: unknown, session: Session, response: ServerResponse): void {
  if (error instanceof ErrandError && error.authorization !== null) {
    // The user has to sign in again.
    connect(session, response, error.authorization);
  } else if (error instanceof WebhookVerificationFailed) {
    response.writeHead(400).end();
  } else if (error instanceof OAuthError) {
    sendPage(response, messagePage(`You are not signed in: ${error.message}`), 400);
  } else {
    console.error(error);
    sendPage(response, messagePage(error instanceof ErrandError ? error.message : "Something went wrong."), 502);
  }
}

function connect(session: Session, response: ServerResponse, authorization: AuthorizationRequest): void {
  session.pending = authorization;
  redirect(response, authorization.url);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

function sendPage(response: ServerResponse, html: string, status = 200): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

function findSession(request: IncomingMessage, response: ServerResponse): Session {
  const known = sessions.get(/\bsession=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
  if (known !== undefined) return known;
  const [id, session] = [randomUUID(), {}];
  sessions.set(id, session);
  response.setHeader("set-cookie", `session=${id}; HttpOnly; SameSite=Lax; Path=/`);
  return session;
}

server.listen(Number(new URL(APP_URL).port), () => console.log(`Open ${APP_URL}/`));
