import type { Page, Request, Response } from "playwright-core";
import { hostOfUrl } from "../../lib/hosts.ts";
import type { RefusalReason } from "../egress/gate.ts";

const MAX_REMEMBERED = 500;

/** Why sites could not be opened, in words for the person. Chromium does not pass on what its proxy says. */
export class ProxyFailures {
  readonly #byHost = new Map<string, string>();

  addRefusal({ host, port, verdict }: { host: string; port: number; verdict: "allowed" | RefusalReason }): void {
    if (verdict !== "allowed") this.#add(`${host}:${port}`, REFUSAL_MESSAGES[verdict]);
  }

  addFailure({ host, port }: { host: string; port: number }, error: string): void {
    this.#add(`${host}:${port}`, FAILURE_MESSAGES[error] ?? UNREACHABLE);
  }

  /** For a response of the proxy in place of the host. */
  describeResponse(url: string): string {
    const target = hostOfUrl(url);
    return (target === null ? undefined : this.#byHost.get(`${target.host}:${target.port}`)) ?? UNREACHABLE;
  }

  /** For a `net::` error of Chromium. Never contains the URL. */
  describeError(url: string, error: string): string {
    if (/ERR_TUNNEL_CONNECTION_FAILED/.test(error)) return this.describeResponse(url);
    const [, words = UNREACHABLE] = NETWORK_ERRORS.find(([pattern]) => pattern.test(error)) ?? [];
    return words;
  }

  #add(host: string, words: string): void {
    if (this.#byHost.size < MAX_REMEMBERED || this.#byHost.has(host)) this.#byHost.set(host, words);
  }
}

const UNREACHABLE = "The site cannot be reached.";

const REFUSAL_MESSAGES: Record<RefusalReason, string> = {
  invalid_target: "This URL cannot be opened.",
  host_not_allowed: "This site cannot be opened here.",
  port_not_allowed: "This port of the site cannot be opened here.",
  private_address: "This address is in a private network and cannot be opened here.",
};

const FAILURE_MESSAGES: Readonly<Record<string, string>> = {
  dns_error: "There is no site with this name.",
  dns_timeout: "The name of the site could not be resolved in time.",
  connection_refused: "The site refused the connection.",
  connection_timeout: "The site does not respond.",
  http_response_timeout: "The site does not respond.",
  connection_terminated: "The site closed the connection.",
};

const NETWORK_ERRORS: readonly [pattern: RegExp, words: string][] = [
  [/ERR_(CERT|SSL)_|ERR_BAD_SSL/, "The site's certificate or encryption is invalid, so it was not opened."],
  [/ERR_TOO_MANY_REDIRECTS/, "The site redirects in a loop."],
  [/ERR_(TIMED_OUT|CONNECTION_TIMED_OUT)/, "The site does not respond."],
  [/ERR_NAME_NOT_RESOLVED/, "There is no site with this name."],
  [/ERR_HTTP_RESPONSE_CODE_FAILURE/, "The site responded without a page."],
  [/ERR_CACHE_MISS/, "This page is the result of a form. Reload to open it without sending the form again."],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|INVALID_HTTP_RESPONSE|INCOMPLETE)/, "The site closed the connection."],
  [/ERR_(UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/, "This URL cannot be opened."],
];

export const HTTP_AUTHENTICATION =
  "The site asks for a user name and password in a browser dialog, which cannot be shown here.";

/** Schemes for which browsers show a dialog (RFC 9110 §11.6.1). */
const HTTP_AUTHENTICATION_SCHEME = /(?:^|[,\n])\s*(?:basic|digest|ntlm)(?:[\s,]|$)/i;

export function asksForHttpAuthentication(response: Response): boolean {
  return response.status() === 401 && HTTP_AUTHENTICATION_SCHEME.test(response.headers()["www-authenticate"] ?? "");
}

/** Whether it requests the main document of the tab. */
export function isDocumentRequest(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The first document of a tab that is just being opened.
    return true;
  }
}
