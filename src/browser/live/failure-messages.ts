import type { Page, Request, Response } from "playwright-core";
import { hostOfUrl } from "../../lib/hosts.ts";
import type { RefusalReason } from "../egress/gate.ts";

const MAX_REMEMBERED = 500;

/** Why sites cannot be opened, in words for the person in front of it. Chromium itself is not told by its proxy. */
export class ProxyFailures {
  readonly #byHost = new Map<string, string>();

  noteRefusal({ host, port, verdict }: { host: string; port: number; verdict: "allowed" | RefusalReason }): void {
    if (verdict !== "allowed") this.#note(`${host}:${port}`, REFUSAL_MESSAGES[verdict]);
  }

  noteFailure({ host, port }: { host: string; port: number }, error: string): void {
    this.#note(`${host}:${port}`, FAILURE_MESSAGES[error] ?? UNREACHABLE);
  }

  /** For an answer that came from the proxy in the name of the host. */
  describeAnswer(url: string): string {
    const place = hostOfUrl(url);
    return (place === null ? undefined : this.#byHost.get(`${place.host}:${place.port}`)) ?? UNREACHABLE;
  }

  /** For a `net::` error of Chromium. Never with the address in it. */
  describeError(url: string, error: string): string {
    if (/ERR_TUNNEL_CONNECTION_FAILED/.test(error)) return this.describeAnswer(url);
    const [, words = UNREACHABLE] = NETWORK_ERRORS.find(([pattern]) => pattern.test(error)) ?? [];
    return words;
  }

  #note(host: string, words: string): void {
    if (this.#byHost.size < MAX_REMEMBERED || this.#byHost.has(host)) this.#byHost.set(host, words);
  }
}

const UNREACHABLE = "The site cannot be reached.";

const REFUSAL_MESSAGES: Record<RefusalReason, string> = {
  invalid_target: "This is not an address that can be opened.",
  host_not_allowed: "This site may not be opened here.",
  port_not_allowed: "This port of the site may not be opened here.",
  private_address: "This address is in a private network and may not be opened here.",
};

const FAILURE_MESSAGES: Readonly<Record<string, string>> = {
  dns_error: "There is no site with this name.",
  dns_timeout: "The name of the site could not be looked up in time.",
  connection_refused: "The site refuses connections.",
  connection_timeout: "The site does not answer.",
  http_response_timeout: "The site does not answer.",
  connection_terminated: "The site broke off the connection.",
};

const NETWORK_ERRORS: readonly [pattern: RegExp, words: string][] = [
  [/ERR_(CERT|SSL)_|ERR_BAD_SSL/, "The site's certificate or encryption is not in order, so it was not opened."],
  [/ERR_TOO_MANY_REDIRECTS/, "The site redirects in a circle."],
  [/ERR_(TIMED_OUT|CONNECTION_TIMED_OUT)/, "The site does not answer."],
  [/ERR_NAME_NOT_RESOLVED/, "There is no site with this name."],
  [/ERR_HTTP_RESPONSE_CODE_FAILURE/, "The site answered without a page."],
  [/ERR_CACHE_MISS/, "This page was the answer to a form. Reload to open it without sending the form again."],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|INVALID_HTTP_RESPONSE|INCOMPLETE)/, "The site broke off the connection."],
  [/ERR_(UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/, "This is not an address that can be opened."],
];

export const HTTP_AUTHENTICATION =
  "The site asks for a name and password in a window of the browser's own, which cannot be shown here.";

/** Schemes for which browsers ask by themselves (RFC 9110 §11.6.1); others leave it to the page. */
const HTTP_AUTHENTICATION_SCHEME = /(?:^|[,\n])\s*(?:basic|digest|ntlm)(?:[\s,]|$)/i;

export function asksForHttpAuthentication(response: Response): boolean {
  return response.status() === 401 && HTTP_AUTHENTICATION_SCHEME.test(response.headers()["www-authenticate"] ?? "");
}

/** Whether it asks for what the tab is to show. */
export function isDocumentRequest(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The first document of a tab that is just being opened.
    return true;
  }
}
