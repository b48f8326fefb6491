import { type Observation, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import { findFieldValues, readText } from "./page-text.ts";

/** What one page showed at one moment, as far as a claim can rest on it. */
export interface CapturedPage {
  readonly url: string;
  /** The number of the observation. */
  readonly look: number;
  readonly text: string;
  /** Addresses of the links that were to be seen. */
  readonly links: ReadonlySet<string>;
  readonly root: ObservedNode;
}

const MAX_CHARACTERS = 20_000_000;

/**
 * What the run itself has seen, taken down by the loop and not by the planner: a claim is held against this. A page that
 * shows another state later is kept beside its first one.
 */
export class CapturedPages {
  readonly #pages = new Map<string, CapturedPage>();
  #characters = 0;

  add(observation: Observation): void {
    const key = `${observation.url} ${observation.fingerprint}`;
    if (this.#pages.has(key)) return;
    const page = capturePage(observation);
    this.#pages.set(key, page);
    this.#characters += page.text.length;
    this.#forgetOldest();
  }

  list(): CapturedPage[] {
    return [...this.#pages.values()];
  }

  /** What the field held when the page was first seen; null when it was not there. */
  firstValueOf(url: string, label: string): string | null {
    const first = this.list().find((page) => isSamePage(page.url, url) && findFieldValues(page, label).length > 0);
    return first === undefined ? null : (findFieldValues(first, label)[0] ?? null);
  }

  /** Whether any state of this page showed the text. */
  showed(url: string, text: string): boolean {
    return this.list().some((page) => isSamePage(page.url, url) && contains(page.text, text));
  }

  #forgetOldest(): void {
    for (const [key, { text }] of this.#pages) {
      if (this.#characters <= MAX_CHARACTERS || this.#pages.size === 1) return;
      this.#pages.delete(key);
      this.#characters -= text.length;
    }
  }
}

export function capturePage({ number, url, root, title }: Observation): CapturedPage {
  const links = new Set<string>();
  const values: string[] = [];
  for (const { node } of walk(root)) {
    if (node.url !== null) links.add(node.url);
    if (node.value !== null && node.field?.isSecret !== true) values.push(node.value);
  }
  const text = normalize([title, textOf(root), readText(root), ...values].join("\n"));
  return { url, look: number, text, links, root };
}

export function contains(text: string, part: string): boolean {
  const wanted = normalize(part);
  return wanted !== "" && text.includes(wanted);
}

/** Whether two addresses are of one page: a fragment says only where to look. */
export function isSamePage(one: string, other: string): boolean {
  return one === other || withoutFragment(one) === withoutFragment(other);
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}

function normalize(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
