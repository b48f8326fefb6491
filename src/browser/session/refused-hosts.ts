import { type HostAndPort, hostOfAddress } from "../../lib/host-pattern.ts";
import type { Mark } from "./browser-session.ts";
import { isAfter, type Timeline } from "./timeline.ts";

const MAX_KEPT = 1_000;

/** Where the proxy did not let the run go. A page can ask for any number of hosts, so the list is bounded. */
export class RefusedHosts {
  readonly #timeline: Timeline;
  readonly #refusals: { at: number; name: string }[] = [];
  readonly #names = new Set<string>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  note(place: HostAndPort): void {
    const name = nameOf(place);
    this.#names.add(name);
    this.#refusals.push({ at: this.#timeline.next(), name });
    if (this.#refusals.length > MAX_KEPT) this.#refusals.shift();
  }

  has(url: string): boolean {
    const place = hostOfAddress(url.replace(/^ws/, "http"));
    return place !== null && this.#names.has(nameOf(place));
  }

  since(mark: Mark): string[] {
    return [...new Set(this.#refusals.filter(({ at }) => isAfter(at, mark)).map(({ name }) => name))];
  }
}

function nameOf({ host, port }: HostAndPort): string {
  return `${host}:${port}`;
}
