import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { ActionFailed } from "../../actions/action.ts";
import { toUrl } from "../../actions/goto.ts";
import { maskUrl } from "../../safe-text.ts";

const MAX_LINKS = 20_000;

/** The addresses that a run can know of. Models make up others, and pages put them into their mouths. */
export class KnownUrls {
  /** Everything in the task that may be the name of a host. */
  readonly #named: readonly string[];
  readonly #hosts = new Set<string>();
  readonly #links = new Set<string>();
  /** As the model reads it → as it is; of several the newest. */
  readonly #masked = new Map<string, string>();

  constructor(prompt: string, startUrl: string | null) {
    const words = prompt.toLowerCase().match(/[\p{L}\d.-]+(?::\d+)?/gu) ?? [];
    this.#named = words.map((word) => word.replace(/^www\.|(?<!\.)\.+$/g, ""));
    const start = startUrl === null ? null : URL.parse(startUrl);
    if (start !== null) this.#hosts.add(start.host);
    if (start !== null) this.#keepMasked(start.href);
  }

  see({ url, tabs, root }: Observation): void {
    if (this.#links.size > MAX_LINKS) this.#links.clear();
    if (this.#masked.size > MAX_LINKS) this.#masked.clear();
    for (const { node } of walk(root)) if (node.url !== null) this.#add(node.url);
    for (const address of [...tabs.map((tab) => tab.url), url]) this.#add(address);
  }

  /** What is meant by an address that the model has read with its keys left out; any other as it was said. */
  unmask(said: string, currentUrl: string): string {
    if (!said.includes("…")) return said;
    return this.#masked.get(resolve(said, currentUrl)?.href ?? "") ?? said;
  }

  /** Whether the address is in the task, on the host the run started at, or was a link on a page that was seen. */
  has(said: string, currentUrl: string): boolean {
    const address = resolve(said, currentUrl);
    // What is no web address fails by itself, and says why.
    if (address === null) return true;
    return this.#hosts.has(address.host) || this.#links.has(withoutFragment(address.href)) || this.#isInTask(address);
  }

  #add(address: string): void {
    this.#links.add(withoutFragment(address));
    this.#keepMasked(address);
  }

  #keepMasked(address: string): void {
    const masked = maskUrl(address);
    const key = masked === address ? null : URL.parse(masked);
    if (key !== null) this.#masked.set(key.href, address);
  }

  #isInTask({ host }: URL): boolean {
    const name = host.replace(/^www\./, "");
    return this.#named.includes(name);
  }
}

function resolve(said: string, currentUrl: string): URL | null {
  try {
    return URL.parse(toUrl(said, currentUrl));
  } catch (error) {
    if (error instanceof ActionFailed) return null;
    throw error;
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}
