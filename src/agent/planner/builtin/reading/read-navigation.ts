import { readCount } from "../english/ordinals.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { holdsClause, readTarget } from "./target.ts";

const GO = "(?:go|navigate|browse|head|open|visit|load|return|move|get)(?:\\s+back)?(?:\\s+to)?";
const ADDRESS = new RegExp(`^${GO}\\s+(?:the\\s+)?(?:(?:page|site|website|url|address)\\s+(?:at\\s+)?)?(\\S+)$`, "i");
const HOST = /^(?:[a-z0-9-]+\.)+([a-z]{2,})(?::\d+)?(?:[/?#]\S*)?$/i;
const FILE_ENDINGS = /^(?:pdf|txt|csv|docx?|xlsx?|png|jpe?g|gif|svg|zip|html?|json|xml|md|mp[34])$/i;

/** Addresses, back, reload, pages of a list. */
export const readNavigation: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  const address = findAddress(quotes.reveal(ADDRESS.exec(clause)?.[1] ?? ""));
  if (address !== null) return [{ said, kind: "goto", url: address }];
  if (/^(?:go|navigate|click|press|step|move|return)\s+back(?:wards?)?(?:\s+(?:one|a) page)?$/i.test(clause))
    return [{ said, kind: "back" }];
  if (/^(?:go|return|navigate)(?: back)? to the (?:previous|last) (?:page|screen)$/i.test(clause))
    return [{ said, kind: "back" }];
  if (/^(?:reload|refresh)(?: (?:the|this) page)?$/i.test(clause)) return [{ said, kind: "reload" }];
  return readPageTurn(clause, said);
};

const PAGE_TURN =
  /^(?:(?:go|turn|move|navigate|advance|continue|proceed|switch|jump) (?:on )?to|click(?: on)?|open|show|visit|press|load|view)?\s*(?:the )?(next|previous|prior|first|last) page(?: of (?:the )?(?:results|list|products|table|items))?$/i;
const PAGE_NUMBER =
  /^(?:(?:go|turn|move|navigate|switch|jump) to|open|show|visit|load|view|click(?: on)?)\s+(?:the )?(?:results )?page (\d+|\w+)(?: of .*)?$/i;

function readPageTurn(clause: string, said: string): ReturnType<ClauseReader> {
  const turn = PAGE_TURN.exec(clause)?.[1]?.toLowerCase();
  if (turn === "next" || turn === "first" || turn === "last") return [{ said, kind: "page", which: turn }];
  if (turn !== undefined) return [{ said, kind: "page", which: "previous" }];
  const number = readCount(PAGE_NUMBER.exec(clause)?.[1] ?? "");
  return number === null ? null : [{ said, kind: "page", which: number }];
}

function findAddress(text: string): string | null {
  const plain = text.replace(/[.,;]+$/, "");
  if (/^https?:\/\/\S+$/i.test(plain)) return URL.canParse(plain) ? plain : null;
  if (/^\/[\w\-./?=&%#]+$/.test(plain)) return plain;
  const ending = HOST.exec(plain)?.[1];
  return ending === undefined || FILE_ENDINGS.test(ending) ? null : `https://${plain}`;
}

const PATH = /\s*(?:>|→|»|›|->)\s*/;

/** "select File > Export". */
export const readMenuPath: ClauseReader = (clause, { quotes }) => {
  const match = /^(?:select|choose|click(?: on)?|open|go to|navigate to|pick|follow|use)\s+(.+)$/i.exec(clause);
  const path =
    match?.[1]?.split(PATH).map((part) =>
      quotes
        .reveal(part)
        .trim()
        .replace(/^(?:the\s+)?(?:menu\s+(?=\S))?/i, ""),
    ) ?? [];
  if (path.length < 2 || path.some((part) => part === "")) return null;
  return [{ said: quotes.reveal(clause), kind: "menu", path }];
};

const OPEN =
  /^(?:open|launch|(?:go|navigate|browse|head|move|switch|return|change|get)(?:\s+(?:back|over))?\s+to|visit|view|show(?: me)?|see|enter)\s+(?:up\s+)?(.+)$/i;

/** "open X", "go to the X page": last among the readers, for X may be anything. */
export const readOpen: ClauseReader = (clause, { quotes }) => {
  const what = OPEN.exec(clause)?.[1];
  if (what === undefined || /^(?:if|whether)\b/i.test(what) || holdsClause(what)) return null;
  return [{ said: quotes.reveal(clause), kind: "open", target: readTarget(what, quotes) }];
};
