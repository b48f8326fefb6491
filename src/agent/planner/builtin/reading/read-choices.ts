import type { Instruction } from "../instruction.ts";
import type { ClauseReader, ReadingContext } from "./clause-reader.ts";
import { readValue } from "./read-values.ts";
import { isTangled, splitAssignments } from "./split-assignments.ts";
import { readTarget } from "./target.ts";

const CHOOSE = /^(?:select|choose|pick)(?:\s+out)?\s+(.+)$/i;
const FROM = [
  /\s+from\s+/gi,
  /\s+(?:as|for)\s+(?=the |my |your |[\uE000-\uF8FF])/gi,
  /\s+(?:using|with)\s+/gi,
  /\s+(?:in|under|for|as)\s+/gi,
];
const KIND_ONLY =
  /^(?:the |a |an )?(?:options?|items?|values?|checkbox(?:es)?|radio buttons?|boxe?s?|entry|entries)(?: (?:labell?ed|named|called))?\s+/i;

/** "select red, green and blue from the list", "choose Large as the size". */
export const readChoose: ClauseReader = (clause, context) => {
  const what = CHOOSE.exec(clause)?.[1];
  if (what === undefined) return null;
  const said = context.quotes.reveal(clause);
  if (/^(?:nothing|none|no (?:item|option)s?)$/i.test(what)) return [{ said, kind: "nothing" }];
  if (needsJudgement(what)) return null;
  const cut = cutAtList(what);
  if (cut === null) return [makeChoice(said, what, null, context)];
  if (isTangled(cut.options))
    return splitAssignments(what)?.map(({ value, field }) => makeChoice(said, value, field, context)) ?? null;
  if (isSetting(cut.list)) {
    return [
      {
        said,
        kind: "set",
        target: readTarget(cut.list, context.quotes),
        value: readValue(cut.options, context.quotes),
        all: false,
      },
    ];
  }
  return [makeChoice(said, cut.options, cut.list, context)];
};

/** What would have to be compared or recognised: labels do not say it. */
function needsJudgement(what: string): boolean {
  return /\bsimilar to\b|\bshades? of\b|\b(?:greatest|largest|smallest|highest|lowest|cheapest|best|most|least|longest|shortest)\b(?!\s+first)|\bfollowing colou?r\b/i.test(
    what,
  );
}

function cutAtList(what: string): { options: string; list: string } | null {
  for (const pattern of FROM) {
    const cut = [...what.matchAll(pattern)].at(-1);
    if (cut === undefined) continue;
    return { options: what.slice(0, cut.index), list: what.slice(cut.index + cut[0].length) };
  }
  return null;
}

/** A date, a slider or a colour is set; it has no options to choose from. */
function isSetting(list: string): boolean {
  return /\b(?:date|day|slider|spinner|stepper|time|colou?r picker|range)s?$/i.test(list.trim());
}

function makeChoice(said: string, options: string, list: string | null, { quotes }: ReadingContext): Instruction {
  const plain = quotes.reveal(
    options
      .trim()
      .replace(KIND_ONLY, "")
      .replace(/^the\s+(?=.*\b(?:options?|checkbox(?:es)?|radio(?: buttons?)?)$)/i, ""),
  );
  const named = plain.replace(/\s+(?:options?|checkbox(?:es)?|radio buttons?)$/i, "");
  return {
    said,
    kind: "choose",
    options: named === "" ? plain : named,
    from: list === null ? null : readTarget(list, quotes),
  };
}

const COMPLETE =
  /^(?:enter|select|choose|pick|type|find)\s+(?:an?|the|any|some)\s+(?:item|option|entry|value|word|name|suggestion)\s+(?:(?:from|in)\s+(.+?)\s+)?(?:that|which|whose name)\s+(?:starts|begins)\s+with\s+(\S+)(?:\s+and\s+ends\s+(?:with|in)\s+(\S+))?$/i;

/** "enter an item that starts with Ce and ends with lic". */
export const readCompletion: ClauseReader = (clause, { quotes }) => {
  const match = COMPLETE.exec(clause);
  if (match === null) return null;
  const target = match[1] === undefined ? null : readTarget(match[1], quotes);
  const [start = "", end = ""] = [match[2], match[3]].map((part) => quotes.reveal(part ?? ""));
  return [{ said: quotes.reveal(clause), kind: "complete", target, start, end }];
};

const CHECK_ON = /^(?:check|tick|enable|activate|turn on|switch on|mark|flip on)(?:\s+off)?\s+(.+)$/i;
const CHECK_OFF =
  /^(?:uncheck|untick|unmark|disable|deactivate|turn off|switch off|deselect|unselect|flip off)\s+(.+)$/i;
const TURN = /^(?:turn|switch)\s+(.+?)\s+(on|off)$/i;
const TOGGLE = /^(?:toggle|flip)\s+(.+)$/i;

/** "tick the terms box", "turn notifications off". */
export const readCheck: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  if (
    /^check\s*-?out\b|^(?:check|mark)\s+(?:that|whether|if|for|how|what|the (?:price|status|date|number|total))\b/i.test(
      clause,
    )
  )
    return null;
  if (/^(?:mark|check)\s+.+\s+(?:as|in)\s+/i.test(clause)) return null;
  const turn = TURN.exec(clause);
  if (turn !== null) return many(turn[1] ?? "", turn[2]?.toLowerCase() === "on");
  const off = CHECK_OFF.exec(clause)?.[1];
  if (off !== undefined) return many(off, false);
  const on = CHECK_ON.exec(clause)?.[1];
  if (on !== undefined) return many(on, true);
  const toggle = TOGGLE.exec(clause)?.[1];
  return toggle === undefined ? null : [{ said, kind: "check", target: readTarget(toggle, quotes), on: "toggle" }];

  function many(what: string, on: boolean): Instruction[] {
    const parts = /[\uE000-\uF8FF]\s*(?:,|and)/.test(what) ? what.split(/\s*,\s*(?:and\s+)?|\s+and\s+/) : [what];
    return parts.map((part) => ({ said, kind: "check" as const, target: readTarget(part, quotes), on }));
  }
};
