/** What sort of thing is meant, in the words that people use for it. */
export type Kind =
  | "button"
  | "link"
  | "tab"
  | "checkbox"
  | "radio"
  | "switch"
  | "textbox"
  | "textarea"
  | "password"
  | "list"
  | "option"
  | "slider"
  | "spinner"
  | "date"
  | "menu"
  | "icon"
  | "image"
  | "heading"
  | "section"
  | "dialog"
  | "record"
  | "field"
  | "item"
  | "text"
  | "page";

/** Longer phrases first: the first that fits is taken. */
const KIND_WORDS: readonly (readonly [string, Kind])[] = [
  ["radio ?buttons?", "radio"],
  ["radios?", "radio"],
  ["toggle switch(?:es)?", "switch"],
  ["toggles?|switch(?:es)?", "switch"],
  ["check ?boxe?s?|tick ?boxe?s?", "checkbox"],
  ["password (?:fields?|boxe?s?|inputs?)", "password"],
  ["text ?areas?", "textarea"],
  ["date ?pickers?|calendars?|date (?:fields?|inputs?)", "date"],
  [
    "(?:input )?text ?(?:boxe?s?|fields?|inputs?)|input (?:fields?|boxe?s?|text ?boxe?s?)|search (?:bar|box|field|input)s?",
    "textbox",
  ],
  [
    "drop[- ]?downs?(?: (?:list|menu|box)e?s?)?|combo ?box(?:es)?|select(?: box| list| menu)?|list ?box(?:es)?|scroll list|pick ?list|selector",
    "list",
  ],
  ["menu (?:items?|options?|entr(?:y|ies))", "item"],
  ["list items?", "item"],
  ["search results?", "record"],
  ["hyper-?links?|links?|anchors?", "link"],
  ["nav(?:igation)? (?:links?|items?)", "link"],
  ["buttons?|btn", "button"],
  ["tabs?", "tab"],
  ["sliders?|range", "slider"],
  ["spinners?|steppers?|number (?:fields?|inputs?)", "spinner"],
  ["icons?|symbols?", "icon"],
  ["images?|pictures?|photos?|thumbnails?", "image"],
  ["headings?|headers?|titles?", "heading"],
  ["sections?|panels?|accordions?|(?:collapsible|fold)s?", "section"],
  ["(?:pop-?up )?(?:dialog(?:ue)?|modal|pop-?up)s?(?: box(?:es)?| window)?", "dialog"],
  ["menus?", "menu"],
  ["options?|choices?", "option"],
  [
    "results?|products?|articles?|posts?|cards?|rows?|records?|entr(?:y|ies)|orders?|emails?|messages?|tickets?",
    "record",
  ],
  ["fields?|inputs?|form fields?", "field"],
  ["items?|elements?|things?|widgets?|controls?|folders?|files?|folder or file|file or folder|nodes?", "item"],
  ["paragraphs?|texts?|labels?", "text"],
  ["(?:web ?)?pages?|screens?|categor(?:y|ies)|departments?", "page"],
  ["box(?:es)?", "field"],
  ["list", "list"],
];

const SUFFIX = KIND_WORDS.map(([words, kind]) => ({ kind, pattern: new RegExp(`^(.*?)\\s*\\b(?:${words})$`, "i") }));
const PREFIX = KIND_WORDS.map(([words, kind]) => ({ kind, pattern: new RegExp(`^(?:${words})\\b\\s*(.*)$`, "i") }));

/** "Ok button" → "Ok" and button; "textbox" → "" and textbox. */
export function takeKindSuffix(text: string): { kind: Kind; rest: string } | null {
  return take(SUFFIX, text);
}

/** "button ONE" → "ONE" and button. */
export function takeKindPrefix(text: string): { kind: Kind; rest: string } | null {
  return take(PREFIX, text);
}

function take(table: readonly { kind: Kind; pattern: RegExp }[], text: string): { kind: Kind; rest: string } | null {
  for (const { kind, pattern } of table) {
    const match = pattern.exec(text);
    if (match !== null) return { kind, rest: (match[1] ?? "").trim() };
  }
  return null;
}
