import { isQuotation, QUOTE, type Quotes } from "../english/quotes.ts";
import type { Instruction } from "../instruction.ts";
import { readValue } from "./read-values.ts";
import { readTarget } from "./target.ts";

/** What forms ask for, so that "email jo@example.com" needs no colon. Longer ones first. */
const FIELD_NAMES =
  "first name|last name|full name|user ?name|family name|given name|surname|name|e-?mail(?: address)?|pass ?word|phone(?: number)?|telephone(?: number)?|mobile(?: number)?|street(?: address)?|address(?: line \\d)?|city|town|state|county|region|country|zip(?: code)?|post ?code|postal code|company|organi[sz]ation|subject|title|message|comments?|notes?|date of birth|birthday|date|time|age|number|quantity|amount|code|voucher(?: code)?|coupon(?: code)?|card number|expiry(?: date)?|cvc|cvv|security code|user|login|id";

const EXPLICIT = /^(?:the |my |your |an? )?([^:=]{1,60}?)\s*(?::|=|\s(?:to|as|is|of|being|should be)\s)\s*(.+)$/i;
const KNOWN = new RegExp(`^(?:the |my |your |a |an )?(${FIELD_NAMES})(?: field)?\\s+(.+)$`, "i");
const QUOTED = new RegExp(
  `^(?:the |my |your |a |an )?([\\p{L}][\\p{L}\\p{N} /'-]{0,40}?)\\s+(?:of |as |is )?(${QUOTE})$`,
  "iu",
);

/** A list of fields with their values; null unless every part is such a pair. */
export function readPairs(text: string, quotes: Quotes, mayBeLoose: boolean): Instruction[] | null {
  const parts = splitPairs(text, mayBeLoose);
  const pairs = parts.map((part) => readPair(part, mayBeLoose));
  if (pairs.length === 0 || pairs.some((pair) => pair === null)) return null;
  return pairs.flatMap((pair) =>
    pair === null
      ? []
      : [
          {
            said: quotes.reveal(`${pair.field}: ${pair.value}`),
            kind: "set" as const,
            target: readTarget(pair.field, quotes),
            value: readValue(pair.value, quotes),
            all: false,
          },
        ],
  );
}

interface Pair {
  readonly field: string;
  readonly value: string;
}

function readPair(part: string, mayBeLoose: boolean): Pair | null {
  const text = part.trim();
  const match = QUOTED.exec(text) ?? KNOWN.exec(text) ?? (mayBeLoose ? EXPLICIT.exec(text) : null);
  const [, field, value] = match ?? [];
  if (field === undefined || value === undefined) return null;
  return { field: field.trim(), value: value.trim().replace(/^(?:of|as|is|:|=)\s+/i, "") };
}

/** A comma or "and" parts two pairs only when another pair follows: "address: 1 Main St, Oslo" is one value. */
function splitPairs(text: string, mayBeLoose: boolean): string[] {
  const pieces = text.split(/\s*[,;\n]\s*(?:and\s+)?|\s+and\s+/i);
  const joints = [...text.matchAll(/\s*[,;\n]\s*(?:and\s+)?|\s+and\s+/gi)].map(([joint]) => joint);
  const parts: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isPair = readPair(piece, mayBeLoose) !== null && !isQuotation(piece.trim());
    const last = parts.at(-1);
    if (isPair || last === undefined) parts.push(piece);
    else parts[parts.length - 1] = `${last}${joints[index - 1] ?? ", "}${piece}`;
  }
  return parts.filter((part) => part.trim() !== "");
}
