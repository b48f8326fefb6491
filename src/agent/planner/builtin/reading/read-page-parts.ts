import type { Instruction } from "../instruction.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { readTarget } from "./target.ts";

const EXPAND = /^(expand|unfold|uncollapse|collapse|fold)(?:\s+(?:up|out))?(?:\s+(.+))?$/i;

/** "expand the section below", "collapse all panels". */
export const readExpand: ClauseReader = (clause, { quotes }) => {
  const match = EXPAND.exec(clause);
  if (match === null) return null;
  const what = (match[2] ?? "").trim();
  const open = !/^(?:collapse|fold)$/i.test(match[1] ?? "");
  const all =
    /^(?:all|every|each)\b/i.test(what) ||
    (/^(?:the )?sections?$/i.test(what) === false && /^(?:the )?(?:sections|panels|accordions)\b/i.test(what));
  const isAny =
    what === "" ||
    /^(?:it|(?:all |every |each )?(?:of )?(?:the )?(?:sections?|panels?|accordions?|collapsibles?)(?: below| above)?)$/i.test(
      what,
    );
  return [{ said: quotes.reveal(clause), kind: "expand", target: isAny ? null : readTarget(what, quotes), open, all }];
};

export const readScroll: ClauseReader = (clause, { quotes }) => {
  const where = /^scroll\s+(.+)$/i.exec(clause)?.[1];
  if (where === undefined) return null;
  const said = quotes.reveal(clause);
  const way = WAY.exec(where)?.[1];
  if (way !== undefined) return [{ said, kind: "scroll", to: way.toLowerCase() === "up" ? "up" : "down", area: null }];
  const to = /^(?:down |up )?(?:to|until you (?:see|find|reach))\s+(.+)$/i.exec(where)?.[1];
  const end = END.exec(where);
  if (end === null) return to === undefined ? null : [{ said, kind: "scroll", to: readTarget(to, quotes), area: null }];
  const [, before = "", edge = "", of = ""] = end;
  if (/\b(?:hit|click|press|submit)\b/i.test(of)) return null;
  const area = readArea(before) ?? readArea(of);
  const side = /top|start|beginning/i.test(edge) ? "top" : "bottom";
  return [{ said, kind: "scroll", to: side, area: area === null ? null : readTarget(area, quotes) }];
};

const WAY = /^(down|up)(?:\s+(?:a (?:bit|little)|(?:on )?the page|the list|once|further))*$/i;
const END =
  /^(?:(?!to\b|down\b|up\b|all\b)(.+?)\s+)?(?:all the way\s+)?(?:down |up )?(?:to\s+)?(?:the\s+)?(?:very\s+)?(bottom|top|end|start|beginning)(?:\s+of\s+((?:the |this )?(?:[\w-]+ ?){1,3}))?$/i;

function readArea(text: string): string | null {
  return text === "" || /^(?:down|up|the|the (?:page|text|window|screen)|page)$/i.test(text.trim()) ? null : text;
}

export const readWait: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  const time =
    /^(?:wait|pause|sleep)\s+(?:for\s+)?(?:about\s+)?(\d+(?:\.\d+)?|an?|one|two|three|five|ten)\s*(seconds?|secs?|s|minutes?|mins?|ms|milliseconds?)$/i.exec(
      clause,
    );
  if (time !== null) return [{ said, kind: "wait", seconds: readSeconds(time[1] ?? "", time[2] ?? "") }];
  const what = /^wait\s+(?:for|until|till)\s+(.+)$/i.exec(clause)?.[1];
  if (what === undefined)
    return /^wait(?: a (?:bit|moment|little|second))?$/i.test(clause) ? [{ said, kind: "wait", seconds: 1 }] : null;
  if (
    /^(?:the\s+)?(?:page|it|site|everything|results?)\s*(?:to\s+|is\s+|has\s+|have\s+|are\s+)?(?:fully\s+)?(?:loads?|loaded|ready|finish(?:es|ed)?(?: loading)?|be(?:come)? ready|opens?)?$/i.test(
      what,
    )
  ) {
    return [{ said, kind: "wait", seconds: 1 }];
  }
  const gone = /\b(?:disappear|vanish|go away|gone|closed?|hidden)/i.test(what);
  const text = what
    .replace(
      /\s+(?:to\s+|is\s+|are\s+|has\s+|have\s+)?(?:fully\s+)?(?:appear(?:s|ed)?|load(?:s|ed)?|show(?:s|n)?(?: up)?|visible|disappear(?:s|ed)?|vanish(?:es|ed)?|go(?:es)? away|gone|be(?:come)? visible|displayed|there|present|hidden|closed?)$/i,
      "",
    )
    .replace(
      /^(?:you (?:can )?see|the (?:text|message|word|words|heading|button|link)\s+(?=[\uE000-\uF8FF])|the\s+|there (?:is|are)\s+)/i,
      "",
    );
  return [{ said, kind: "await", text: quotes.reveal(text).trim(), gone }];
};

function readSeconds(amount: string, unit: string): number {
  const words: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, five: 5, ten: 10 };
  const number = words[amount.toLowerCase()] ?? Number(amount);
  if (/^m(?:s|illi)/i.test(unit)) return number / 1000;
  return /^min/i.test(unit) ? number * 60 : number;
}

const KEY_NAMES: Record<string, string> = {
  enter: "Enter",
  return: "Enter",
  tab: "Tab",
  escape: "Escape",
  esc: "Escape",
  "space bar": "Space",
  spacebar: "Space",
  space: "Space",
  backspace: "Backspace",
  delete: "Delete",
  home: "Home",
  end: "End",
  "page down": "PageDown",
  "page up": "PageUp",
  "arrow down": "ArrowDown",
  "down arrow": "ArrowDown",
  "arrow up": "ArrowUp",
  "up arrow": "ArrowUp",
  "arrow left": "ArrowLeft",
  "left arrow": "ArrowLeft",
  "arrow right": "ArrowRight",
  "right arrow": "ArrowRight",
};
const KEY = new RegExp(
  `^(?:press|hit|push|use|type)\\s+(?:on\\s+)?(?:the\\s+)?(${Object.keys(KEY_NAMES).join("|")}|(?:(?:ctrl|control|alt|shift|cmd|command|meta)\\s*[+-]\\s*)+\\w+|f\\d{1,2})(\\s+key)?(?:\\s+(twice|(\\d+) times))?(?:\\s+(?:in|on|inside)\\s+(.+))?$`,
  "i",
);

/** "press Enter". Keys whose names are labels as well (Delete, Home, End) need the word "key". */
export const readKey: ClauseReader = (clause, { quotes }) => {
  const match = KEY.exec(clause);
  const name = match?.[1]?.toLowerCase();
  if (match === null || name === undefined) return null;
  if (/^(?:delete|home|end|space)$/.test(name) && match[2] === undefined) return null;
  const keys = KEY_NAMES[name] ?? toChord(name);
  const count = match[3] === undefined ? 1 : /twice/i.test(match[3]) ? 2 : Math.min(50, Number(match[4]));
  const target = match[5] === undefined ? null : readTarget(match[5], quotes);
  const press: Instruction = { said: quotes.reveal(clause), kind: "press", keys, target };
  return Array.from({ length: count }, () => press);
};

function toChord(name: string): string {
  const names: Record<string, string> = {
    ctrl: "Control",
    control: "Control",
    alt: "Alt",
    shift: "Shift",
    cmd: "Meta",
    command: "Meta",
    meta: "Meta",
  };
  const parts = name.split(/\s*[+-]\s*/);
  return parts
    .map((part) => names[part] ?? (part.length === 1 ? part : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+");
}
