import { QUOTE, type Quotes } from "../english/quotes.ts";
import type { Instruction } from "../instruction.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { type Target, targetOf } from "./target.ts";

const DIALOG_WORDS =
  "(?:cookie|consent|privacy|alert|confirmation|confirm|prompt|pop-?up|modal|dialog(?:ue)?|message|notification|banner|notice|window|box|overlay|newsletter)";
const DIALOG = new RegExp(
  `^(close|dismiss|accept|decline|reject|cancel|confirm|ok|agree to|allow|deny)\\s+(?:the |all |any |this |that )*((?:${DIALOG_WORDS}|browser|s|\\s)+)$`,
  "i",
);
const COOKIES =
  /^(accept|decline|reject|allow|deny|dismiss)\s+(?:all\s+|the\s+)*cookies?(?:\s+(?:banner|notice|dialog|message|pop-?up))?$/i;

/** Dialogs of the page and of the browser, and banners that stand in the way. */
export const readDialog: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  const match = DIALOG.exec(clause) ?? COOKIES.exec(clause);
  if (match === null) return readText(clause, said, quotes) ?? readShort(clause, said);
  const accepts = /^(?:accept|confirm|ok|agree|allow)/i.test(match[1] ?? "");
  return [makeAnswer(said, accepts, null, null)];
};

const PLACE = "(?:dialog(?:ue)?|prompt|pop-?up|alert|question)(?: box| window)?";
const ANSWER_WITH = new RegExp(
  `^(?:answer|reply to|fill in|confirm|accept)\\s+(?:the |this |that )?${PLACE}\\s+with\\s+(.+)$`,
  "i",
);
const ANSWER_TO = new RegExp(
  `^(?:answer|reply)\\s+(?:with\\s+)?(${QUOTE})(?:\\s+(?:in|to)\\s+(?:the |this |that )?${PLACE})?$`,
  "i",
);

/** 'answer the dialog with "Soups"'. With yes, no, OK or Cancel it is a button, and no text. */
function readText(clause: string, said: string, quotes: Quotes): Instruction[] | null {
  const text = ANSWER_WITH.exec(clause)?.[1] ?? ANSWER_TO.exec(clause)?.[1];
  if (text === undefined) return null;
  if (/^(?:yes|ok(?:ay)?)$/i.test(text)) return [makeAnswer(said, true, null, null)];
  if (/^(?:no|cancel)$/i.test(text)) return [makeAnswer(said, false, null, null)];
  return [makeAnswer(said, true, quotes.reveal(text).trim(), null)];
}

const SHORT =
  /^(?:(confirm|accept|agree)|(decline|reject|dismiss|cancel))(?:\s+(?:it|this|that))?$|^(?:say|answer)\s+(?:(yes|ok(?:ay)?)|(no))$/i;

/** "and confirm it", "say yes": an open dialog is meant, else the button that says so. */
function readShort(clause: string, said: string): Instruction[] | null {
  const match = SHORT.exec(clause);
  if (match === null) return null;
  const [, accepting, declining, yes, no] = match;
  const word = accepting ?? declining ?? yes ?? no ?? "";
  return [makeAnswer(said, (accepting ?? yes) !== undefined, null, targetOf(word, { isQuoted: false }))];
}

function makeAnswer(said: string, accepts: boolean, text: string | null, button: Target | null): Instruction {
  return { said, kind: "dialog", answer: accepts ? "accept" : "dismiss", text, button };
}
