import { readFileSync } from "node:fs";
import { type FastifyInstance, fastify } from "fastify";
import { errorPage, notFoundPage } from "../pages/error-pages.ts";
import { ACCOUNT_ROUTES } from "../routes/account.ts";
import { ADDRESS_ROUTES } from "../routes/addresses.ts";
import { CART_ROUTES } from "../routes/cart.ts";
import { CATALOGUE_ROUTES } from "../routes/catalogue.ts";
import { CHECKOUT_ROUTES } from "../routes/checkout.ts";
import { CONTACT_ROUTES } from "../routes/contact.ts";
import { ORDER_ROUTES } from "../routes/orders.ts";
import { PLACE_ORDER_ROUTES } from "../routes/place-order.ts";
import { SIGN_IN_ROUTES } from "../routes/sign-in.ts";
import { SIGN_UP_ROUTES } from "../routes/sign-up.ts";
import { respond } from "./respond.ts";
import type { ShopState } from "./state.ts";

const ROUTES = [
  ...CATALOGUE_ROUTES,
  ...CART_ROUTES,
  ...CHECKOUT_ROUTES,
  ...PLACE_ORDER_ROUTES,
  ...SIGN_IN_ROUTES,
  ...SIGN_UP_ROUTES,
  ...ACCOUNT_ROUTES,
  ...ORDER_ROUTES,
  ...ADDRESS_ROUTES,
  ...CONTACT_ROUTES,
];

const STYLESHEETS = [
  "base.css",
  "header.css",
  "menu.css",
  "footer.css",
  "forms.css",
  "account.css",
  "home.css",
  "cards.css",
  "listing.css",
  "product.css",
  "tables-and-orders.css",
];

const ASSETS = [
  { path: "/assets/shop.css", type: "text/css; charset=utf-8", text: STYLESHEETS.map(readAsset).join("\n") },
  { path: "/assets/shop.js", type: "text/javascript; charset=utf-8", text: readAsset("shop.js") },
  { path: "/assets/mark.svg", type: "image/svg+xml", text: readAsset("mark.svg") },
];

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const BODY_MAX_BYTES = 64 * 1024;

/** The whole site, before it listens. */
export function createSite(shop: ShopState, closing: AbortSignal): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_MAX_BYTES,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, new URLSearchParams(body.toString())),
  );
  app.addHook("onSend", async (request, reply) => {
    reply.headers(HEADERS);
    // Logged before the response is sent, so that anyone who has received it finds the request in the log.
    const path = request.url.split("?", 1)[0] ?? "";
    shop.requests.add({ method: request.method, path, status: reply.statusCode });
  });
  app.get("/health", async () => ({ status: "ok" }));
  for (const { path, type, text } of ASSETS) app.get(path, async (_request, reply) => reply.type(type).send(text));
  for (const { method, path, handle } of ROUTES) {
    app.route({ method, url: path, handler: (request, reply) => respond(shop, handle, request, reply, closing) });
  }
  app.setNotFoundHandler((request, reply) => respond(shop, notFoundPage, request, reply, closing));
  app.setErrorHandler((error: { statusCode?: number }, request, reply) =>
    respond(shop, () => errorPage(error.statusCode ?? 500), request, reply, closing),
  );
  return app;
}

function readAsset(name: string): string {
  return readFileSync(new URL(`../assets/${name}`, import.meta.url), "utf8");
}
