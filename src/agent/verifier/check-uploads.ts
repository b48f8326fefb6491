import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { findDescendants, hasDescendant, readText } from "../grounding/page-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { findSubmissions } from "./sent-entries.ts";

const ROWS: ReadonlySet<string> = new Set(["row", "listitem", "article"]);
const FILE_NAME = /^[^\s/\\]+\.[a-z][a-z0-9]{1,4}$/i;

/** A page that lists files by their names also lists the one that was uploaded there. Other pages only say that they have it. */
export function checkUploads({ steps, writes, freshPages, captured }: Case): Check[] {
  const last = findSubmissions({ steps, writes }).at(-1);
  return steps.flatMap(({ call, hasFailed, url, step }): Check[] => {
    const { name, content } = call.input;
    if (call.action !== "upload" || hasFailed || typeof name !== "string" || last === undefined || last.step < step)
      return [];
    const pages = freshPages.flatMap(({ page, note }) => (page === null || note !== null ? [] : [page]));
    const lists = [url, last.url].flatMap(
      (each) => captured.before(each, { observationNumber: last.seen?.observationNumber ?? 0 }) ?? [],
    );
    const isList =
      lists.some(listsFiles) && pages.some((page) => lists.some((list) => isSamePath(list, page)) && listsFiles(page));
    const about = "The file is there";
    const file = `"${name.slice(0, 80)}"`;
    if (content !== "" && pages.some((page) => isListedAsEmpty(page, name)))
      return [{ about, verdict: "unknown", evidence: `A fresh browser lists ${file} without content.` }];
    if (!isList || pages.some(({ text }) => contains(text, name))) return [];
    return [{ about, verdict: "unknown", evidence: `A fresh browser lists other files, and not ${file}.` }];
  });
}

/** Not "0 KB", which may be rounded. */
const NO_BYTES = /(?:^|[\s(])0 ?(?:b|bytes?)\b/i;

function isListedAsEmpty({ root }: CapturedPage, name: string): boolean {
  const isRow = ({ role }: ObservedNode) => ROWS.has(role);
  const rows = findDescendants(
    root,
    (node) => isRow(node) && !hasDescendant(node, isRow) && contains(readText(node), name),
  );
  return rows.length > 0 && rows.every((row) => NO_BYTES.test(readText(row)));
}

function isSamePath(one: CapturedPage, other: CapturedPage): boolean {
  return isSamePage(one.url.replace(/\?[^#]*/, ""), other.url.replace(/\?[^#]*/, ""));
}

const MIN_FILES = 2;

/** One name may be an example of what can be uploaded. */
function listsFiles({ root }: CapturedPage): boolean {
  const texts = [...walk(root)].filter(
    ({ node, ancestors }) => node.children.length === 0 && ancestors.some(({ role }) => ROWS.has(role)),
  );
  return new Set(texts.map(({ node }) => node.name.trim()).filter((text) => FILE_NAME.test(text))).size >= MIN_FILES;
}
