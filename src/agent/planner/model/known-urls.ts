import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { ActionFailed } from "../../actions/action.ts";
import { toUrl } from "../../actions/goto.ts";
import { maskUrl } from "../../safe-text.ts";

const MAX_LINKS = 20_000;

/** The URLs a run can know. Models invent others, and pages suggest them. */
export class KnownUrls {
  /** Every word of the task that may be the name of a host. */
  readonly #named: readonly string[];
  readonly #hosts = new Set<string>();
  readonly #links = new Set<string>();
  /** Masked as the model sees it → the newest such URL. */
  readonly #masked = new Map<string, string>();

  constructor(prompt: string, startUrl: string | null) {
    const words = prompt.toLowerCase().match(/[\p{L}\d.-]+(?::\d+)?/gu) ?? [];
    this.#named = words.map((word) => word.replace(/^www\.|(?<!\.)\.+$/g, ""));
    const start = startUrl === null ? null : URL.parse(startUrl);
    if (start !== null) this.#hosts.add(start.host);
    if (start !== null) this.#keepMasked(start.href);
  }

  observe({ url, tabs, root }: Observation): void {
    if (this.#links.size > MAX_LINKS) this.#links.clear();
    if (this.#masked.size > MAX_LINKS) this.#masked.clear();
    for (const { node } of walk(root)) if (node.url !== null) this.#add(node.url);
    for (const shown of [...tabs.map((tab) => tab.url), url]) this.#add(shown);
  }

  /** The URL behind a masked one; any other URL as it is. */
  unmask(text: string, currentUrl: string): string {
    if (!text.includes("…")) return text;
    return this.#masked.get(resolve(text, currentUrl)?.href ?? "") ?? text;
  }

  /** Whether the URL is on a host of the task, on the start page's host, or was a link on a page that was seen. */
  has(text: string, currentUrl: string): boolean {
    const url = resolve(text, currentUrl);
    // The action itself rejects what is not a web URL, and says why.
    if (url === null) return true;
    return this.#hosts.has(url.host) || this.#links.has(withoutFragment(url.href)) || this.#isInTask(url);
  }

  #add(url: string): void {
    this.#links.add(withoutFragment(url));
    this.#keepMasked(url);
  }

  #keepMasked(url: string): void {
    const masked = maskUrl(url);
    const key = masked === url ? null : URL.parse(masked);
    if (key !== null) this.#masked.set(key.href, url);
  }

  #isInTask({ host }: URL): boolean {
    const name = host.replace(/^www\./, "");
    return this.#named.includes(name);
  }
}

function resolve(text: string, currentUrl: string): URL | null {
  try {
    return URL.parse(toUrl(text, currentUrl));
  } catch (error) {
    if (error instanceof ActionFailed) return null;
    throw error;
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}
