const YES = /^(?:yes|y|true|on|checked|selected|enabled|active|included|available|in stock|[✓✔☑✅])(?![\p{L}\d])/iu;
const NO =
  /^(?:no|n|false|off|unchecked|not checked|disabled|inactive|not included|none left|unavailable|currently unavailable|not available|out of stock|not in stock|sold out|temporarily out of stock|[✗✘☐❌✖])(?![\p{L}\d])/iu;
const LEFT = /^(?:only\s+)?(\d+)\s+(?:left|in stock|available|remaining)\b/i;
/** A clause may follow, another word may not: "No" is an answer, "No. 12" and "Yes Minister" are names. */
const CLAUSE = /^\s*(?:$|[,;:(–—-]|[!.]$|\p{L}*\s*in stock)/u;

/** Yes or no as pages write it: words, check marks, whether something is in stock. Null for everything else. */
export function parseBoolean(text: string): boolean | null {
  const words = text.trim().replace(/\s+/g, " ");
  const left = LEFT.exec(words);
  if (left !== null) return Number(left[1]) > 0;
  for (const [pattern, answer] of [[NO, false] as const, [YES, true] as const]) {
    const matched = pattern.exec(words)?.[0];
    if (matched !== undefined && isWhole(matched, words.slice(matched.length))) return answer;
  }
  return null;
}

/** A mark may stand before the label that it belongs to. */
function isWhole(matched: string, rest: string): boolean {
  return matched.length === 1 && !/\p{L}/u.test(matched) ? true : CLAUSE.test(rest);
}
