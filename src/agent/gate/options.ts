import { foldVisible } from "../../browser/observation/visible-text.ts";

const DETAILS = /\s*[(–—:;,|€$£¥•·+\d].*$|\s-\s.*$/su;
const KIND = /\b(?:shipping|delivery|versand|livraison|payment|by|per|via|the)\b/gu;

/** What an option is called, without prices, times and what kind of thing it is: "Standard (3–5 days)", "Standard shipping". */
export function toOptionKey(text: string): string {
  const folded = foldVisible(text).replace(/^[☐☑]\s*/, "");
  const short = folded.replace(DETAILS, "").trim();
  const bare = short.replace(KIND, " ").replace(/\s+/g, " ").trim();
  return bare || short || folded;
}
