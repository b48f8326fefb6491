import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import { isWrite, type NetworkRecord } from "../../../browser/session/network-record.ts";
import type { ActionReport } from "../../actions/action.ts";
import { isBeacon } from "../../actions/side-effects.ts";
import { withNeighbours } from "../../grounding/calculations.ts";
import { type CapturedPage, capturePage, isSamePage } from "../../grounding/captured-pages.ts";
import type { Fact } from "../../grounding/claim.ts";
import type { DayOrder } from "../../grounding/dates.ts";
import { findFieldValues, isSameValue, readOutsideFields } from "../../grounding/page-text.ts";
import { quoteStatesFact } from "../../grounding/quoted-values.ts";
import { findQuote, foldText } from "../../grounding/quotes.ts";

/** Where something was actually seen. */
export interface Ground {
  /** Verbatim, as the page has it. */
  readonly quote: string;
  readonly url: string;
  /** Seen since the last change was sent, on a page that did not show it before the first: possibly its effect. */
  readonly isNew: boolean;
}

interface SeenPage {
  readonly page: CapturedPage;
  readonly fingerprint: string;
  readonly firstTurn: number;
  lastTurn: number;
}

const MAX_PAGES = 80;
const MAX_CHARACTERS = 5_000_000;
/** Shorter texts are on every page: they count only as the whole name or value of an element. */
const MIN_CHARS_IN_TEXT = 4;

const ENTERING = /^(?:fill|edit|check|select)$/;

/** The pages as the planner saw them. Its claims must be grounded in them. */
export class Evidence {
  /** Newest first. */
  #seen: SeenPage[] = [];
  #turn = 0;
  /** Turns in which a change was sent. */
  #firstWrite = Number.POSITIVE_INFINITY;
  #lastWrite = Number.NEGATIVE_INFINITY;
  /** Pages on which something was entered, with the first turn that shows it. */
  readonly #entries: { readonly url: string; readonly turn: number }[] = [];

  observe(observation: Observation, reports: readonly ActionReport[]): void {
    this.#turn += 1;
    if (reports.some(({ events }) => events.requests.some(isChange))) {
      this.#firstWrite = Math.min(this.#firstWrite, this.#turn);
      this.#lastWrite = this.#turn;
    }
    for (const { call, urlAfter } of reports) {
      if (ENTERING.test(call.action)) this.#entries.push({ url: urlAfter, turn: this.#turn });
    }
    const { fingerprint, url } = observation;
    const known = this.#seen.findIndex((seen) => seen.fingerprint === fingerprint && seen.page.url === url);
    const [again] = known === -1 ? [] : this.#seen.splice(known, 1);
    this.#seen.unshift(
      again === undefined ? toSeenPage(observation, this.#turn) : Object.assign(again, { lastTurn: this.#turn }),
    );
    this.#forgetOldest();
  }

  /** Whether anything was sent that may have changed the site. */
  get hasWritten(): boolean {
    return this.#lastWrite > 0;
  }

  /** The newest page that contains the text. Of several quotes, the first that is on any page. */
  findText(quotes: readonly string[]): Ground | null {
    for (const quote of quotes) {
      for (const seen of this.#seen) {
        const found = findOn(seen, quote);
        if (found !== null)
          return {
            quote: found,
            url: seen.page.url,
            isNew: this.#isNew(seen, showsLike(seen, quote)),
          };
      }
    }
    return null;
  }

  /** The page on which a field held this value. After a change was sent, only what was seen since counts. */
  findField(label: string, value: string): Ground | null {
    const holds = (page: CapturedPage) => findFieldValues(page, label).some((held) => isSameValue(held, value));
    const seen = this.#seen.find(({ page, lastTurn }) => lastTurn >= this.#lastWrite && holds(page));
    if (seen === undefined) return null;
    // What was typed but not yet sent was there too: only the value that the page came with counts.
    const first = this.#seen.findLast(({ page }) => isSamePage(page.url, seen.page.url));
    const wasThere = first !== undefined && first.firstTurn < this.#firstWrite && holds(first.page);
    return { quote: value, url: seen.page.url, isNew: !wasThere };
  }

  /**
   * What the task names, and a page showed before the first change and not since the last. A line that is new since then, such
   * as "Deleted Old draft", only speaks of it.
   */
  findGone(prompt: string): Pick<Ground, "quote" | "url"> | null {
    for (const { page, lastTurn } of this.#seen) {
      if (lastTurn < this.#lastWrite) continue;
      const before = this.#seen
        .filter((seen) => seen.firstTurn < this.#firstWrite && isSamePage(seen.page.url, page.url))
        .flatMap((seen) => [...walk(seen.page.root)]);
      const known = new Set(before.flatMap(({ node }) => [node.name, node.value ?? ""]));
      const left = [...walk(page.root)]
        .flatMap(({ node }) => [node.name, node.value ?? ""])
        .filter((text) => known.has(text));
      const gone = before
        .filter(isItem)
        .find(
          ({ node: { name } }) =>
            isNamed(name, prompt) && !left.some((text) => foldText(text).includes(foldText(name))),
        );
      if (gone !== undefined) return { quote: gone.node.name, url: page.url };
    }
    return null;
  }

  /** A bare number with what stands beside it on the pages, which may name its unit. */
  withNeighbours(quote: string): string[] {
    return this.#seen.flatMap(({ page }) => withNeighbours(quote, page.root));
  }

  #isNew({ page, lastTurn }: SeenPage, shows: (other: SeenPage) => boolean): boolean {
    // What was typed but not yet sent was there before, too: the page as it came counts.
    const entered = this.#entries.find(({ url }) => isSamePage(url, page.url))?.turn ?? Number.POSITIVE_INFINITY;
    const end = Math.min(this.#firstWrite, entered);
    const wasThere = this.#seen.some(
      (other) => other.firstTurn < end && isSamePage(other.page.url, page.url) && shows(other),
    );
    return lastTurn >= this.#lastWrite && !wasThere;
  }

  #forgetOldest(): void {
    let characters = 0;
    this.#seen = this.#seen.filter(({ page }, index) => {
      characters += page.text.length;
      return index === 0 || (index < MAX_PAGES && characters <= MAX_CHARACTERS);
    });
  }
}

function toSeenPage(observation: Observation, turn: number): SeenPage {
  const page = capturePage(observation);
  const { fingerprint } = observation;
  return { page, fingerprint, firstTurn: turn, lastTurn: turn };
}

/** What stands on the page is new even if it was in a field before, where the run typed it. */
function showsLike({ page: { root } }: SeenPage, quote: string): (other: SeenPage) => boolean {
  if (findQuote(readOutsideFields(root), quote) === null) return (other) => findOn(other, quote) !== null;
  return ({ page }) => findQuote(readOutsideFields(page.root), quote) !== null;
}

function findOn({ page }: SeenPage, quote: string): string | null {
  const found = findQuote(page.text, quote, page.folded);
  if (found === null || found.length >= MIN_CHARS_IN_TEXT) return found;
  return walk(page.root).some(({ node }) => node.name === found || node.value === found) ? found : null;
}

/** What pages list, and not what is done with it. */
function isItem({ node }: { node: ObservedNode }): boolean {
  return node.name.length >= MIN_CHARS_IN_TEXT && !/^(?:button|menuitem|tab|heading|document)$/.test(node.role);
}

function isNamed(name: string, prompt: string): boolean {
  const at = prompt.indexOf(name);
  const beside = `${prompt[at - 1] ?? ""}${prompt[at + name.length] ?? ""}`;
  return at > 0 && !/[\p{L}\p{N}]/u.test(beside);
}

/** Whether a request may have changed the site because of an action. */
export function isChange(request: NetworkRecord): boolean {
  const isFromPage = isBeacon(request) || request.resourceType === "websocket";
  const mayChange = isWrite(request) && !request.isNamedAsRead && request.blockedBy === null;
  return request.isFirstParty && !isFromPage && mayChange;
}

/** A fact as a model states it. */
export interface StatedFact {
  readonly about: string;
  readonly value?: string | undefined;
  readonly quote: string;
}

const MAX_QUOTE_CHARS = 1_000;
/** Each is searched for on every page that was seen. */
const MAX_FORMS = 20;

type Grounded =
  | { readonly kind: "grounded"; readonly fact: Fact; readonly ground: Ground }
  | { readonly kind: "rejected"; readonly why: string };

/** A fact with its ground, or why it has none. The reason contains nothing from a page or from the model. */
export function groundFact({ about, value, quote }: StatedFact, evidence: Evidence): Grounded {
  if (quote.length > MAX_QUOTE_CHARS || (value ?? "").length > MAX_QUOTE_CHARS) {
    return { kind: "rejected", why: "its quote or its value is too long. Copy one line of the page that says it" };
  }
  const forms = formsOf(quote);
  const matching = value === undefined || value.trim() === "" ? forms : forms.filter((form) => states(form, value));
  if (matching.length === 0) {
    return {
      kind: "rejected",
      why: "its value is not in its quote. Give the value as the quote has it, or leave it out",
    };
  }
  const ground = evidence.findText(matching);
  if (ground === null) {
    return {
      kind: "rejected",
      why: "its quote is on no page that you have seen. Copy it verbatim, from one line of the page",
    };
  }
  const stated = value === undefined || value.trim() === "" ? ground.quote : value.trim();
  return { kind: "grounded", fact: { label: about, value: stated, quote: ground.quote, url: ground.url }, ground };
}

/**
 * The quote as it is, and without the notation in which models get pages: bars between cells, braces around targets,
 * quotation marks around names.
 */
export function formsOf(quote: string): string[] {
  const whole = quote.slice(0, MAX_QUOTE_CHARS).replace(/\s+/g, " ").trim();
  const pieces = whole.split(/ ?(?:\||…|[{}]|→| = ) ?/);
  const named = [...whole.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  const bare = whole.replace(/^(?:(?:f\d+)?[ec]\d+\s|[-#|]+\s)/, "");
  const forms = [whole, bare, ...named, ...pieces].map((form) => form.trim()).filter((form) => form !== "");
  return [...new Set(forms)].slice(0, MAX_FORMS);
}

/** The verifier knows later how the page writes its dates. */
const ANY_ORDER: ReadonlySet<DayOrder> = new Set(["dmy", "mdy"]);

function states(quote: string, value: string): boolean {
  return quoteStatesFact(value, quote, ANY_ORDER);
}
