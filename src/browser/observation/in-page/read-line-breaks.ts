import type { BrokenText } from "../page-facts.ts";
import type { WalkedPage } from "./walk-page.ts";

/**
 * Runs in the page. Finds texts that `<br>` breaks into lines. Playwright's snapshot leaves the breaks out: "1<br>2" would
 * be read as 12.
 */
export function readLineBreaks({ elements, pieces }: WalkedPage, invisiblePattern: string): BrokenText[] {
  const INVISIBLE = new RegExp(invisiblePattern, "gv");
  /** Inline elements that are no nodes of the snapshot, so that their text is part of the text around them. */
  const PLAIN = new Set(
    "ABBR ACRONYM B BDI BDO BIG BR CITE DFN FONT I KBD LABEL Q S SAMP SMALL SPAN TT U VAR WBR".split(" "),
  );
  const MAX_TEXT = 2_000;
  const holders: number[] = [];

  function normalize(text: string): string {
    return text.replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
  }

  /** The element whose node in the snapshot has the text. */
  function holderOf(owner: number): number {
    const seen = elements[owner];
    if (seen === undefined) return owner;
    const { element, style, parent } = seen;
    const isPlain = PLAIN.has(element.tagName) && style.display === "inline" && !element.hasAttribute("role");
    holders[owner] ??= isPlain ? holderOf(parent) : owner;
    return holders[owner] ?? owner;
  }

  const formsOf = new Map<string, string[]>();
  const broken = new Set<string>();
  let run: { holder: number; glued: string; spaced: string } | null = null;

  function endRun(): void {
    if (run !== null && run.spaced.length <= MAX_TEXT) {
      const [glued, spaced] = [normalize(run.glued), normalize(run.spaced)];
      if (glued !== spaced) broken.add(glued);
      const forms = formsOf.get(glued);
      if (forms === undefined) formsOf.set(glued, [spaced]);
      else forms.push(spaced);
    }
    run = null;
  }

  let isAfterBreak = false;
  for (const { text, owner } of pieces) {
    const tag = elements[owner]?.element.tagName;
    const isBreak = tag === "BR" && text === " ";
    // The walk puts a space at the end of every block, and of every <br>.
    if (owner === -1 && !isAfterBreak) endRun();
    if (owner === -1 || isBreak) {
      if (isBreak && run !== null) run.spaced += " ";
      isAfterBreak = isBreak;
      continue;
    }
    const holder = holderOf(owner);
    if (run !== null && run.holder !== holder) endRun();
    run ??= { holder, glued: "", spaced: "" };
    run.glued += text;
    run.spaced += text;
  }
  endRun();
  return [...broken].map((glued) => ({ glued, forms: formsOf.get(glued) ?? [] }));
}
