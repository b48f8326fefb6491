import { readCount } from "../english/ordinals.ts";
import type { Instruction } from "../instruction.ts";
import type { ClauseReader, ReadingContext } from "./clause-reader.ts";
import { holdsClause, MENTIONED, placeWithin, readTarget, type Target } from "./target.ts";

const CLICK =
  /^(?:double[- ]click|left[- ]click|click|press|tap|hit|push|follow|activate)(?:\s+down)?(?:\s+(?:on|onto|at))?\s+(.+)$/i;
const ALL = /^(?:on )?(?:all|every|each)(?: of)?(?: the| these| those)?\s+(.+)$/i;
const PURPOSE =
  /\s+(?:in order )?to\s+(?:delete|remove|mark|save|submit|open|close|confirm|proceed|see|view|show|go|get|start|begin|finish|complete|apply|update|search|find|add|send|sort|expand|continue|finalize|place|create|sign|log|reveal|load|make|move|return)\b.*$/i;

export const readClick: ClauseReader = (clause, context) => {
  const what = CLICK.exec(clause)?.[1];
  if (what === undefined || !isNameable(what) || holdsClause(what)) return null;
  const said = context.quotes.reveal(clause);
  return readRepeated(said, what, context) ?? readMany(said, what, context) ?? readOne(said, what, context);
};

function readOne(said: string, what: string, context: ReadingContext): Instruction[] {
  const times = /^double/i.test(said) ? "double" : "once";
  return [{ said, kind: "click", target: readWithPurpose(what, context), times, explores: false }];
}

/** "all the checkboxes", "the Like button on all posts by Jo", "… on 3 posts". */
function readMany(said: string, what: string, context: ReadingContext): Instruction[] | null {
  const all = ALL.exec(what)?.[1];
  if (all !== undefined)
    return [{ said, kind: "click", target: readWithPurpose(all, context), times: "all", explores: false }];
  const many = /^(.+?)\s+(?:on|in|for|of)\s+(all|every|each|\d+)(?: of)?(?: the)?\s+(.+)$/i.exec(what);
  if (many === null) return null;
  const [, label = "", count = "", places = ""] = many;
  const target = placeWithin(readTarget(label, context.quotes), context.quotes.reveal(stripRecordWord(places)));
  return [{ said, kind: "click", target, times: readCount(count) ?? "all", explores: false }];
}

/** Descriptions that need eyes, arithmetic or judgement, and not a label. */
function isNameable(what: string): boolean {
  return !/\b(?:that|which) (?:best|correctly|most|matches|corresponds|denotes|describes)\b|\bas many\b|\bin (?:ascending|descending|increasing|decreasing|the) order\b|\bcoordinates?\b|\bcent(?:er|re) of\b|\bmid-?point\b/i.test(
    what,
  );
}

function readRepeated(said: string, what: string, { quotes }: ReadingContext): Instruction[] | null {
  const match = /^(.+?)\s+(once|twice|(\d+|two|three|four|five) times)$/i.exec(what);
  if (match === null) return null;
  const count = /once/i.test(match[2] ?? "") ? 1 : (readCount(match[3] ?? "2") ?? 2);
  const click = {
    said,
    kind: "click",
    target: readTarget(match[1] ?? "", quotes),
    times: "once",
    explores: false,
  } as const;
  return Array.from({ length: Math.min(count, 50) }, () => click);
}

/** "click Save to keep the changes": with the purpose first, in case the label says it, then without. */
function readWithPurpose(what: string, { quotes }: ReadingContext): Target {
  const whole = readTarget(what, quotes);
  const short = what.replace(PURPOSE, "");
  if (short === what || short.trim() === "") return whole;
  const without = readTarget(short, quotes);
  return { said: without.said, readings: [...whole.readings.slice(0, 1), ...without.readings] };
}

function stripRecordWord(text: string): string {
  return text.replace(
    /^(?:posts?|items?|rows?|entries|products?|messages?|emails?|comments?|results?)\s+(?:by|from|of|named|called|with)\s+/i,
    "",
  );
}

/** "place the order", "save the changes", "remove the kettle from the cart": a button whose label begins with the verb. */
const DEED =
  /^(save|continue|proceed|confirm|cancel|place|send|apply|delete|remove|submit|check ?out|finish|complete|update|accept|decline|reject|subscribe|register|sign up|pay|reply|forward|download|join|start|agree|disagree|edit|like|share|follow|post|publish|archive|mute|empty|skip|undo|redo|retry|log ?in|sign in)(?:\s+(.+))?$/i;

export const readDeed: ClauseReader = (clause, { quotes }) => {
  const match = DEED.exec(clause);
  const verb = match?.[1];
  if (match === null || verb === undefined) return null;
  const object = match[2] ?? "";
  const said = quotes.reveal(clause);
  if (
    /^submit$/i.test(verb) &&
    /^(?:|it|(?:the|this|your|my)?\s*(?:form|answers?|changes|page|order|request))$/i.test(object)
  )
    return [{ said, kind: "submit" }];
  if (object !== "" && !isPlainObject(verb, object)) return null;
  return [
    {
      said,
      kind: "click",
      target: readDeedTarget(verb, object, quotes.reveal(object)),
      times: "once",
      explores: false,
    },
  ];
};

/** A deed with a long object, with "so that" or with a recipient is a goal and not a button. */
function isPlainObject(verb: string, object: string): boolean {
  if (/^(?:proceed|continue)$/i.test(verb)) return /^(?:to|with)\s/i.test(object) && object.split(/\s+/).length <= 6;
  const words = object.split(/\s+/).length;
  return (
    words <= 9 && !/\b(?:so that|until|unless|because|if|which|who|that|with|to|all|every|each|between)\b/i.test(object)
  );
}

function readDeedTarget(verb: string, object: string, plainObject: string): Target {
  const bare = plainObject.replace(/\b(?:the|my|your|this|that|its|an?)\s+/gi, "").trim();
  const said = `${verb} ${plainObject}`.trim();
  const base = { isQuoted: false, kind: null, ordinal: null };
  const place = bare.replace(/\s+(?:from|in|on|at)\s+(?:cart|basket|bag|trolley|list|wish ?list|page|table)$/i, "");
  if (place !== bare && /^(?:it|this|that)$/i.test(place)) {
    return { said, readings: [{ ...base, label: verb, within: MENTIONED }] };
  }
  const hasObject = object !== "" && !/^(?:it|them|this|that)$/i.test(object);
  const labels = [
    ...new Set([said, `${verb} ${bare}`.trim(), `${verb} ${place}`.trim(), ...(hasObject ? [] : [verb])]),
  ];
  const readings = labels.map((label) => ({ ...base, label, within: null }));
  if (!hasObject) return { said, readings };
  const goals = /^(?:order|changes|settings|form|message|payment|account|purchase|page|next (?:step|page)|to .+)$/i;
  const placed = goals.test(bare)
    ? [{ ...base, label: verb, kind: "button" as const, within: null }]
    : [{ ...base, label: verb, within: place }];
  return { said, readings: [...readings, ...placed] };
}
