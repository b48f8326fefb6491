import { request as sendRequest } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { startLoopbackServer } from "./browser.ts";

/** A request on its way to the site. */
export interface PassingRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With the query. */
  readonly url: string;
  readonly body: string;
}

interface OwnResponse {
  readonly status: number;
  readonly body?: string;
  readonly location?: string;
}

/** What is different about a site. */
export interface SiteChange {
  /** Rewrites a page. */
  readonly html?: (html: string, request: PassingRequest) => string;
  /** Rewrites what is sent to the site: another URL or another body. */
  readonly send?: (request: PassingRequest) => Partial<Pick<PassingRequest, "url" | "body">>;
  /** Responds instead of the site; null: the site responds. */
  readonly respond?: (request: PassingRequest) => OwnResponse | null;
  /** Rewrites the status of a page. */
  readonly status?: (status: number, request: PassingRequest) => number;
  /** Rewrites where a redirect leads to. */
  readonly redirect?: (location: string) => string;
}

/** A site on a port of its own, which a test can change without touching the server behind it. */
export interface ChangedSite extends AsyncDisposable {
  readonly url: string;
  /** The server behind it. */
  origin: string;
  /** Null: the site is as it is. */
  change: SiteChange | null;
}

/** A reverse proxy in front of the site at `origin`. Pages may be given scripts, so its content security policy is dropped. */
export async function startChangedSite(origin: string): Promise<ChangedSite> {
  const site: { origin: string; change: SiteChange | null } = { origin, change: null };
  const server = await startLoopbackServer(async (incoming, response) => {
    const { method = "GET", url = "/", headers } = incoming;
    const request: PassingRequest = { method, url, path: url.split("?", 1)[0] ?? "/", body: await text(incoming) };
    const { change } = site;
    const own = change?.respond?.(request) ?? null;
    if (own !== null) {
      const target = own.location === undefined ? {} : { location: own.location };
      response.writeHead(own.status, { "content-type": "text/html; charset=utf-8", ...target });
      response.end(own.body ?? "");
      return;
    }
    const sent = { ...request, ...change?.send?.(request) };
    const body = Buffer.from(sent.body);
    const { "accept-encoding": _encoding, "transfer-encoding": _transfer, ...kept } = headers;
    const length = body.length > 0 || headers["content-length"] !== undefined ? { "content-length": body.length } : {};
    // A new server may get the port of an old one, so connections are not kept.
    const options = { method, headers: { ...kept, ...length }, agent: false };
    const upstream = sendRequest(new URL(sent.url, site.origin), options);
    upstream.on("error", () => response.destroy());
    upstream.on("response", async (answer) => {
      const received = await buffer(answer);
      const isPage = (answer.headers["content-type"] ?? "").startsWith("text/html");
      const page = isPage && change?.html ? Buffer.from(change.html(received.toString(), request)) : received;
      const { "content-security-policy": _policy, "transfer-encoding": _chunks, location, ...more } = answer.headers;
      const target = location === undefined ? {} : { location: change?.redirect?.(location) ?? location };
      const status = answer.statusCode ?? 502;
      response.writeHead(change?.status?.(status, request) ?? status, {
        ...more,
        ...target,
        "content-length": page.length,
      });
      response.end(page);
    });
    upstream.end(body);
  });
  return Object.assign(site, { url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}
