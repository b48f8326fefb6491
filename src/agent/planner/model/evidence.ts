import type { Observation } from "../../../browser/observation/observation.ts";
import { walk } from "../../../browser/observation/tree.ts";
import { isHeldBack, isWrite, type NetworkRecord } from "../../../browser/session/network-record.ts";
import type { ActionReport } from "../../actions/action-report.ts";
import { type CapturedPage, capturePage, isSamePage } from "../../captured-pages.ts";
import { findFieldValues, isSameValue } from "../../verifier/field-value.ts";
import { findVerbatim, foldText } from "./find-verbatim.ts";

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
  return isOurs && isWrite(request) && !isHeldBack(request);
}
