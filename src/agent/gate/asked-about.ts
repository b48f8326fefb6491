import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { readText } from "../grounding/page-text.ts";
import type { ActedPage } from "./acted-page.ts";
import { withoutFragment } from "./commit.ts";
import { findLabelledAct } from "./operation.ts";

/** Shorter texts are in questions by chance. */
const MIN_CHARS = 5;
const MAX_PAGE = 1_500;
const CONTROLS: ReadonlySet<string> = new Set(["button", "checkbox", "radio", "menuitem"]);
const MAX_RECORDS = 500;

/** The row that the run has acted in, and those beside it. */
interface Opened {
  readonly url: string;
  /** Texts that only this row has. */
  readonly own: readonly string[];
  /** Texts that only one of the others has. */
  readonly others: readonly string[];
}

/** What a question before a deletion is about: the row from which it was opened, or by a mistake of the site another one. */
export class AskedAbout {
  #opened: Opened | null = null;

  /** Before "Delete" is clicked in a row. What is done outside of rows may answer the question. */
  note(page: ActedPage): void {
    if (findLabelledAct(page.label) === "delete") this.#opened = findOpened(page) ?? this.#opened;
  }

  /** Names the other row that the question is about. */
  findOther(page: ActedPage): string | null {
    if (this.#opened === null || page.record !== undefined) return null;
    const { url, own, others } = this.#opened;
    const question = foldVisible(readQuestion(page, url));
    const says = (text: string) => question.includes(foldVisible(text));
    const other = others.find(says);
    if (other === undefined || own.some(says)) return null;
    return `The page asks about "${other.slice(0, 60)}", and not about "${own[0]?.slice(0, 60)}".`;
  }
}

function findOpened({ record, observation }: ActedPage): Opened | null {
  if (record === undefined) return null;
  const around = walk(observation.root).find(({ node }) => node.children.includes(record))?.node;
  const beside = (around?.children ?? []).filter(({ role }) => role === record.role).slice(0, MAX_RECORDS);
  const texts = beside.map((each) => ({ each, texts: textsOf(each) }));
  const count = new Map<string, number>();
  for (const text of texts.flatMap((row) => [...row.texts])) count.set(text, (count.get(text) ?? 0) + 1);
  const unique = texts.map(({ each, texts: all }) => ({
    each,
    texts: [...all].filter((text) => count.get(text) === 1),
  }));
  const own = unique.find(({ each }) => each === record)?.texts ?? [];
  if (own.length === 0) return null;
  const others = unique.flatMap(({ each, texts: all }) => (each === record ? [] : all));
  return { url: withoutFragment(observation.url), own, others };
}

function textsOf(row: ObservedNode): Set<string> {
  const leaves = walk(row).filter(({ node }) => node.children.length === 0 && !CONTROLS.has(node.role));
  const texts = [...leaves].map(({ node }) => readText(node).trim());
  return new Set(texts.filter((text) => text.length >= MIN_CHARS && /\p{L}{2}/u.test(text)));
}

/** The dialog that is answered, or a short page of its own. */
function readQuestion(page: ActedPage, openedAt: string): string {
  const { dialog, url, root } = page.observation;
  if (dialog !== null) return dialog.message;
  const box = page.dialogText;
  if (box !== "" || withoutFragment(url) === openedAt) return box;
  const main = walk(root).find(({ node }) => node.role === "main")?.node ?? root;
  const text = readText(main);
  return text.length <= MAX_PAGE ? text : "";
}
