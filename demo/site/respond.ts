import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorPage, falseSuccessPage } from "../pages/error-pages.ts";
import { layout } from "../pages/layout.ts";
import { dayOf } from "../trade/calendar.ts";
import { readSessionCookie, writeSessionCookie } from "./cookie.ts";
import type { SiteResponse } from "./response.ts";
import type { ShopState } from "./state.ts";
import type { Visit } from "./visit.ts";

/** Handles a request: session, requested faults, route, cookie. */
export async function respond(
  shop: ShopState,
  handle: (visit: Visit) => SiteResponse,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
): Promise<FastifyReply> {
  if (shop.faults.latencyMs > 0) await delay(shop.faults.latencyMs, undefined, { signal: closing });
  const presentedId = readSessionCookie(request.headers.cookie);
  const visit = openVisit(shop, request, presentedId);
  const response = handleVisit(visit, handle);
  const cookie = shop.sessions.cookieFor(visit.session, presentedId);
  if (cookie !== null) reply.header("set-cookie", writeSessionCookie(cookie));
  return send(response, visit, reply);
}

function openVisit(shop: ShopState, request: FastifyRequest, presentedId: string | null): Visit {
  const now = shop.clock.now();
  const session = shop.sessions.resume(presentedId, now);
  // Not parsed with `URL`, which treats a leading "//" as the start of a host.
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

function handleVisit(visit: Visit, handle: (visit: Visit) => SiteResponse): SiteResponse {
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

function send(response: SiteResponse, visit: Visit, reply: FastifyReply): FastifyReply {
  switch (response.kind) {
    case "redirect":
      return reply.redirect(response.to, 303);
    case "json":
      return reply.send(response.value);
    case "page": {
      // Looked up again, because this request may have signed the user in or out.
      const { session, shop } = visit;
      const account = session.email === null ? null : (shop.accounts.find(session.email) ?? null);
      const text = layout({ ...visit, account }, response.title, response.body).text;
      return reply.status(response.status).type("text/html; charset=utf-8").send(text);
    }
  }
}
