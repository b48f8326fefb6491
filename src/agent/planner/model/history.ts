import type { ActionCall, ActionReport } from "../../actions/action-report.ts";
import { maskAddress } from "../../prompting/mask-address.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import { isChange } from "./evidence.ts";

const MAX_RECENT = 12;
const MAX_PLACES = 12;
const MAX_LINE = 180;

/** What was done: the latest steps one by one, those before them counted by page. It stays as short in a long run. */
export class History {
  #steps = 0;
  #recent: string[] = [];
  /** Path → action → how often. */
  readonly #places = new Map<string, Map<string, number>>();
  readonly #recentPlaces: { place: string; action: string }[] = [];

  add(report: ActionReport): void {
    this.#steps += 1;
    this.#recent.push(toOneLine(`${this.#steps} ${describeReport(report)}`, MAX_LINE));
    this.#recentPlaces.push({ place: pathOf(report.urlBefore), action: report.call.action });
    if (this.#recent.length <= MAX_RECENT) return;
    this.#recent.shift();
    const old = this.#recentPlaces.shift();
    if (old !== undefined) this.#collapse(old);
  }

  /** Without the newest ones, when those are told in full elsewhere. */
  toLines(newest = 0): string[] {
    const count = this.#steps - this.#recent.length;
    const recent = newest === 0 ? this.#recent : this.#recent.slice(0, -newest);
    if (count === 0) return recent;
    // The pages worked on most say most.
    const places = [...this.#places].toSorted(([, one], [, other]) => sum(other) - sum(one));
    const told = places.slice(0, MAX_PLACES).map(([place, actions]) => {
      return `${place} (${[...actions].map(([action, times]) => `${action} ${times}`).join(", ")})`;
    });
    const more = places.length > told.length ? [`${places.length - told.length} more pages`] : [];
    return [`1 to ${count}, by page: ${[...told, ...more].join("; ")}`, ...recent];
  }

  #collapse({ place, action }: { place: string; action: string }): void {
    const actions = this.#places.get(place) ?? new Map<string, number>();
    actions.set(action, (actions.get(action) ?? 0) + 1);
    this.#places.set(place, actions);
  }
}

function sum(actions: ReadonlyMap<string, number>): number {
  return [...actions.values()].reduce((total, count) => total + count, 0);
}

/** One step in one line: what was done, what came of it. */
export function describeReport({ call, failure, urlBefore, urlAfter, events }: ActionReport): string {
  const parts = [describeInput(call)];
  if (failure !== null) parts.push(`failed (${failure.kind})`);
  if (urlBefore !== urlAfter) parts.push(`→ ${pathOf(urlAfter)}`);
  const sent = events.requests.filter(
    (request) => isChange(request) || (request.isNavigation && (request.status ?? 0) >= 400),
  );
  const answers = sent.map(
    ({ method, url, status, failure: why }) => `${method} ${pathOf(url)} ${status ?? why ?? "no answer"}`,
  );
  if (answers.length > 0) parts.push(`[${answers.slice(0, 3).join("; ")}]`);
  return parts.join(" ");
}

function describeInput({ action, input }: ActionCall): string {
  const {
    label,
    to_label: onto,
    text,
    options,
    checked,
    url,
    key,
    words,
    direction,
    gone,
    url_contains: address,
    id,
    accept,
    name,
  } = input;
  const target = typeof label === "string" && label !== "" ? [`"${toOneLine(label, 60)}"`] : [];
  const more = [onto, text, key, words, direction, gone, address, id, name, checked, accept]
    .concat(typeof url === "string" ? [pathOf(url)] : [], Array.isArray(options) ? options : [])
    .filter((value) => value !== undefined)
    .map((value) => toOneLine(String(value), 60));
  return [action, ...target, ...(more.length === 0 ? [] : [`(${more.join(", ")})`])].join(" ");
}

/** Enough to know a page by. */
export function pathOf(address: string): string {
  const masked = maskAddress(address);
  const url = URL.parse(masked);
  if (url === null) return toOneLine(masked, 60);
  return toOneLine(`${url.pathname}${url.search.replaceAll("%E2%80%A6", "…")}`, 60);
}
