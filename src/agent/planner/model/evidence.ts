import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { isBlocked, isWrite, type NetworkRecord } from "../../../browser/session/network-record.ts";
import type { ActionReport } from "../../actions/action.ts";
import { findUngrounded } from "../../extraction/find-ungrounded.ts";
import { type CapturedPage, capturePage, isSamePage } from "../../grounding/captured-pages.ts";
import type { Fact } from "../../grounding/claim.ts";
import { findFieldValues, isSameValue } from "../../grounding/page-text.ts";
import { findVerbatim, foldText } from "../../grounding/quotes.ts";

/** A place where something was really seen. */
export interface Ground {
  /** Word for word, as the page has it. */
  readonly quote: string;
  readonly url: string;
  /** Seen since the site was last sent a change, where it was not to be seen before the first one: it may be its effect. */
  readonly isNew: boolean;
}

interface Seen {
  readonly page: CapturedPage;
  /** Its text as it is compared. */
  readonly folded: string;
  readonly fingerprint: string;
  /** The turn in which it was seen first, and last. */
  readonly first: number;
  last: number;
}

const MAX_PAGES = 80;
const MAX_CHARACTERS = 5_000_000;
/** Shorter words stand on every page: they count only where they are all that something says. */
const MIN_CHARS_IN_TEXT = 4;

/** The pages as the planner saw them. What it claims has to stand there. */
export class Evidence {
  #seen: Seen[] = [];
  #turn = 0;
  #firstWrite = Number.POSITIVE_INFINITY;
  #lastWrite = Number.NEGATIVE_INFINITY;

  see(observation: Observation, reports: readonly ActionReport[]): void {
    this.#turn += 1;
    if (reports.some(hasSentChange)) {
      this.#firstWrite = Math.min(this.#firstWrite, this.#turn);
      this.#lastWrite = this.#turn;
    }
    const { fingerprint, url } = observation;
    const known = this.#seen.findIndex((seen) => seen.fingerprint === fingerprint && seen.page.url === url);
    const [again] = known === -1 ? [] : this.#seen.splice(known, 1);
    this.#seen.unshift(
      again === undefined ? toSeen(observation, this.#turn) : Object.assign(again, { last: this.#turn }),
    );
    this.#forgetOldest();
  }

  /** Whether the site was sent anything that may have changed it. */
  get hasWritten(): boolean {
    return this.#lastWrite > 0;
  }

  /** Where the words stand, the newest page first. Of several quotes, the first that stands anywhere. */
  findText(quotes: readonly string[]): Ground | null {
    for (const quote of quotes) {
      for (const seen of this.#seen) {
        const found = findOn(seen, quote);
        if (found !== null)
          return {
            quote: found,
            url: seen.page.url,
            isNew: this.#isNew(seen, (other) => findOn(other, quote) !== null),
          };
      }
    }
    return null;
  }

  /** The page on which a field held this value; after a change was sent, only what was seen since then counts. */
  findField(label: string, value: string): Ground | null {
    const holds = (page: CapturedPage) => findFieldValues(page, label).some((held) => isSameValue(held, value));
    const seen = this.#seen.find(({ page, last }) => last >= this.#lastWrite && holds(page));
    if (seen === undefined) return null;
    // What was typed and not sent yet stood there too: only what the page came with tells.
    const first = this.#seen.findLast(({ page }) => isSamePage(page.url, seen.page.url));
    const wasThere = first !== undefined && first.first < this.#firstWrite && holds(first.page);
    return { quote: value, url: seen.page.url, isNew: !wasThere };
  }

  #isNew({ page, last }: Seen, shows: (other: Seen) => boolean): boolean {
    const wasThere = this.#seen.some(
      (other) => other.first < this.#firstWrite && isSamePage(other.page.url, page.url) && shows(other),
    );
    return last >= this.#lastWrite && !wasThere;
  }

  #forgetOldest(): void {
    let characters = 0;
    this.#seen = this.#seen.filter(({ page }, index) => {
      characters += page.text.length;
      return index === 0 || (index < MAX_PAGES && characters <= MAX_CHARACTERS);
    });
  }
}

function toSeen(observation: Observation, turn: number): Seen {
  const page = capturePage(observation);
  return { page, folded: foldText(page.text), fingerprint: observation.fingerprint, first: turn, last: turn };
}

function findOn({ page, folded }: Seen, quote: string): string | null {
  const found = findVerbatim(page.text, quote, folded);
  if (found === null || found.length >= MIN_CHARS_IN_TEXT) return found;
  return walk(page.root).some(({ node }) => node.name === found || node.value === found) ? found : null;
}

/** A page's own beacons are no deed of ours. */
function hasSentChange({ events }: ActionReport): boolean {
  return events.requests.some(isChange);
}

export function isChange(request: NetworkRecord): boolean {
  const isOurs =
    request.isFirstParty && !["ping", "beacon", "cspviolationreport", "websocket"].includes(request.resourceType);
  return isOurs && isWrite(request) && !isBlocked(request);
}

/** A fact as a model states it. */
export interface StatedFact {
  readonly about: string;
  readonly value?: string | undefined;
  readonly quote: string;
}

const MAX_QUOTE_CHARS = 1_000;
/** Each is looked for on every page that was seen. */
const MAX_FORMS = 20;

type Grounded =
  | { readonly kind: "grounded"; readonly fact: Fact; readonly ground: Ground }
  | { readonly kind: "refused"; readonly why: string };

/** A fact with the place where it stands, or why it is none. The reason holds nothing of the page and of the model. */
export function groundFact({ about, value, quote }: StatedFact, evidence: Evidence): Grounded {
  if (quote.length > MAX_QUOTE_CHARS || (value ?? "").length > MAX_QUOTE_CHARS) {
    return { kind: "refused", why: "its quote or its value is too long. Copy one line of the page that says it" };
  }
  const forms = formsOf(quote);
  const saying = value === undefined || value.trim() === "" ? forms : forms.filter((form) => isSaid(value, form));
  if (saying.length === 0) {
    return {
      kind: "refused",
      why: "its value cannot be read from its quote. Give the value as the quote has it, or leave it out",
    };
  }
  const ground = evidence.findText(saying);
  if (ground === null) {
    return {
      kind: "refused",
      why: "its quote stands on no page that you have seen. Copy it word for word, from one line of the page",
    };
  }
  const said = value === undefined || value.trim() === "" ? ground.quote : value.trim();
  return { kind: "grounded", fact: { label: about, value: said, quote: ground.quote, url: ground.url }, ground };
}

/**
 * The quote, and what is left of it without the signs with which pages are told to models: cells stand between bars,
 * things in braces, names in quotation marks.
 */
export function formsOf(quote: string): string[] {
  const whole = quote.slice(0, MAX_QUOTE_CHARS).replace(/\s+/g, " ").trim();
  const pieces = whole.split(/ ?(?:\||…|[{}]|→| = ) ?/);
  const named = [...whole.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  const bare = whole.replace(/^(?:(?:f\d+)?[ec]\d+\s|[-#|]+\s)/, "");
  const forms = [whole, bare, ...named, ...pieces].map((form) => form.trim()).filter((form) => form !== "");
  return [...new Set(forms)].slice(0, MAX_FORMS);
}

function isSaid(value: string, quote: string): boolean {
  if (findVerbatim(quote, value) !== null) return true;
  const text = value.trim();
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
  const isTold = number !== null || !/\d/.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text);
  return isTold && canBeRead(number ?? text, quote);
}

function canBeRead(value: string | number, quote: string): boolean {
  const leaf = { pointer: "/value", value, quote, url: "quote:" };
  const page = { url: "quote:", text: quote.replace(/\s+/g, " ").trim(), links: new Set<string>() };
  return findUngrounded({ data: { value }, leaves: [leaf], coverage: "", missing: [] }, [page]).length === 0;
}
