import type { Fact } from "../../extraction/fact.ts";
import { toOneLine } from "../../prompting/one-line.ts";

interface Note {
  readonly id: string;
  readonly fact: Fact;
}

const MAX_SHOWN = 40;

/** Facts that were read on the way, each with its ground. It is what a long run remembers of pages that are gone. */
export class Notebook {
  readonly #notes: Note[] = [];

  /** The id under which a claim can cite it. */
  add(fact: Fact): string {
    const known = this.#notes.find(
      ({ fact: { label, quote, url } }) => label === fact.label && quote === fact.quote && url === fact.url,
    );
    if (known !== undefined) return known.id;
    const id = `n${this.#notes.length + 1}`;
    this.#notes.push({ id, fact });
    return id;
  }

  find(id: string): Fact | null {
    return this.#notes.find((note) => note.id === id.trim())?.fact ?? null;
  }

  /** One line for each; empty when there are none. */
  toLines(): string[] {
    const hidden = this.#notes.length - MAX_SHOWN;
    const lines = this.#notes
      .slice(-MAX_SHOWN)
      .map(({ id, fact: { label, value } }) => `${id} ${toOneLine(label, 80)}: ${toOneLine(String(value), 100)}`);
    return hidden > 0 ? [`n1 to n${hidden} are kept too and can be cited.`, ...lines] : lines;
  }
}
