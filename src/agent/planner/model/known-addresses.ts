import type { Observation } from "../../../browser/observation/observation.ts";
import { walk } from "../../../browser/observation/tree.ts";
import { ActionFailed } from "../../actions/action.ts";
import { toAddress } from "../../actions/goto.ts";

const MAX_LINKS = 20_000;

/** The addresses that a run can know of. Models make up others, and pages put them into their mouths. */
export class KnownAddresses {
  /** Everything in the task that may be the name of a host. */
  readonly #named: readonly string[];
  readonly #hosts = new Set<string>();
  readonly #links = new Set<string>();

  constructor(prompt: string, startUrl: string | null) {
    const words = prompt.toLowerCase().match(/[\p{L}\d.-]+(?::\d+)?/gu) ?? [];
    this.#named = words.map((word) => word.replace(/^www\.|\.+$/g, ""));
    const start = startUrl === null ? null : URL.parse(startUrl);
    if (start !== null) this.#hosts.add(start.host);
  }

  see({ url, tabs, root }: Observation): void {
    if (this.#links.size > MAX_LINKS) this.#links.clear();
    for (const address of [url, ...tabs.map((tab) => tab.url)]) this.#links.add(withoutFragment(address));
    for (const { node } of walk(root)) if (node.url !== null) this.#links.add(withoutFragment(node.url));
  }

  /** Whether the address is in the task, on the host the run started at, or was a link on a page that was seen. */
  has(said: string, currentUrl: string): boolean {
    const address = resolve(said, currentUrl);
    // What is no web address fails by itself, and says why.
    if (address === null) return true;
    return this.#hosts.has(address.host) || this.#links.has(withoutFragment(address.href)) || this.#isInTask(address);
  }

  #isInTask({ host }: URL): boolean {
    const name = host.replace(/^www\./, "");
    return this.#named.includes(name);
  }
}

function resolve(said: string, currentUrl: string): URL | null {
  try {
    return URL.parse(toAddress(said, currentUrl));
  } catch (error) {
    if (error instanceof ActionFailed) return null;
    throw error;
  }
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}
