import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorPage, falseSuccessPage } from "../pages/error-pages.ts";
import { layout } from "../pages/layout.ts";
import { dayOf } from "../trade/calendar.ts";
import type { Answer } from "./answer.ts";
import { readSessionCookie, writeSessionCookie } from "./cookie.ts";
import type { ShopState } from "./state.ts";
import type { Visit } from "./visit.ts";

/** From a request to its answer: session, arranged faults, the route, the cookie. */
export async function respond(
  shop: ShopState,
  handle: (visit: Visit) => Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
): Promise<FastifyReply> {
  if (shop.faults.latencyMs > 0) await delay(shop.faults.latencyMs, undefined, { signal: closing });
  const presentedId = readSessionCookie(request.headers.cookie);
  const visit = openVisit(shop, request, presentedId);
  const answer = answerVisit(visit, handle);
  const cookie = shop.sessions.cookieFor(visit.session, presentedId);
  if (cookie !== null) reply.header("set-cookie", writeSessionCookie(cookie));
  return send(answer, visit, reply);
}

function openVisit(shop: ShopState, request: FastifyRequest, presentedId: string | null): Visit {
  const now = shop.clock.now();
  const session = shop.sessions.resume(presentedId, now);
  // Not by the parser for addresses: to it "//" is no path but the beginning of a host.
  const [path = "/", ...search] = request.url.split("?");
  return {
    shop,
    session,
    account: session.email === null ? null : (shop.accounts.find(session.email) ?? null),
    method: request.method,
    path,
    query: new URLSearchParams(search.join("?")),
    params: request.params as Record<string, string>,
    form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
    now,
    today: dayOf(now),
  };
}

function answerVisit(visit: Visit, handle: (visit: Visit) => Answer): Answer {
  const failure = visit.shop.faults.take(visit.method, visit.path);
  if (failure !== null) {
    const { status = 500, claimsSuccess = false } = failure;
    return claimsSuccess ? falseSuccessPage(status) : errorPage(status);
  }
  try {
    return handle(visit);
  } catch {
    return errorPage(500);
  }
}

function send(answer: Answer, visit: Visit, reply: FastifyReply): FastifyReply {
  switch (answer.kind) {
    case "redirect":
      return reply.redirect(answer.to, 303);
    case "json":
      return reply.send(answer.value);
    case "page": {
      // Who signed in or out with this very request is greeted as such on the page that answers it.
      const { session, shop } = visit;
      const account = session.email === null ? null : (shop.accounts.find(session.email) ?? null);
      const text = layout({ ...visit, account }, answer.title, answer.body).text;
      return reply.status(answer.status).type("text/html; charset=utf-8").send(text);
    }
  }
}
