/** One line of a rich text, as a page shows it. */
export interface RichLine {
  readonly kind: "paragraph" | "heading" | "item" | "quote" | "code" | "cell" | "rule";
  /** Of a heading, or how deep a list is nested. */
  readonly level: number;
  /** "-" or "2." on the first line of a list item, with its check box; empty elsewhere. */
  readonly marker: string;
  /** Whether a blank line or a visible gap is between this line and the one before. */
  readonly hasGap: boolean;
  readonly spans: readonly RichSpan[];
}

interface RichSpan {
  readonly text: string;
  /** "bold", "italic", "underline", "strike", "code", "image", "link https://…". */
  readonly marks: readonly string[];
}

export interface RichText {
  readonly lines: readonly RichLine[];
  /** Whether paragraphs have a gap between them. Without one, an empty paragraph makes a blank line. */
  readonly hasGaps: boolean;
}

/** A place in a rich text: the line, and how many characters of it are before the place. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** The text as it looks: a line for each line, and a blank line for each gap. */
export function toPlainText({ lines }: RichText): string {
  return lines.map((line, index) => `${index === 0 ? "" : separatorOf(line)}${lineText(line)}`).join("");
}

/** What is between a line and the one before. */
export function separatorOf({ hasGap }: RichLine): string {
  return hasGap ? "\n\n" : "\n";
}

/** The characters of a line. */
export function lineText({ spans }: RichLine): string {
  return spans.map(({ text }) => text).join("");
}

/** The place at an offset of the plain text. */
export function toPlace({ lines }: RichText, offset: number): Place {
  let left = offset;
  for (const [index, line] of lines.entries()) {
    if (index > 0) left -= separatorOf(line).length;
    const { length } = lineText(line);
    if (left <= length) return { line: index, column: Math.max(0, left) };
    left -= length;
  }
  const last = lines.length - 1;
  return { line: Math.max(0, last), column: lines[last] === undefined ? 0 : lineText(lines[last]).length };
}

/** The text with its headings, lists and marks, in the notation of Markdown. */
export function toMarkdown({ lines }: RichText): string {
  const parts: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isFence = (other: RichLine | undefined) => line.kind === "code" && other?.kind !== "code";
    if (index > 0) parts.push(separatorOf(line));
    if (isFence(lines[index - 1])) parts.push("```\n");
    parts.push(`${prefixOf(line)}${line.spans.map((span) => toMarked(span, line)).join("")}`);
    if (isFence(lines[index + 1])) parts.push("\n```");
  }
  return parts.join("");
}

function prefixOf({ kind, level, marker }: RichLine): string {
  switch (kind) {
    case "heading":
      return `${"#".repeat(level)} `;
    case "item":
      return `${"  ".repeat(Math.max(0, level - 1))}${marker === "" ? "  " : `${marker} `}`;
    case "quote":
      return "> ";
    case "cell":
      return "| ";
    default:
      return "";
  }
}

const SIGNS: Readonly<Partial<Record<string, string>>> = { bold: "**", italic: "*", strike: "~~", code: "`" };

/** Spaces at the ends stay outside of the signs, as Markdown wants it. */
function toMarked({ text, marks }: RichSpan, { kind }: RichLine): string {
  if (kind === "rule") return "---";
  if (kind === "code" || text.trim() === "") return text;
  const [, before = "", inner = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  const signs = marks.flatMap((mark) => SIGNS[mark] ?? []);
  const signed = `${signs.join("")}${inner}${signs.toReversed().join("")}`;
  const href = marks.find((mark) => mark.startsWith("link "))?.slice("link ".length);
  return `${before}${href === undefined ? signed : `[${signed}](${href})`}${after}`;
}

/**
 * Runs in the page, so it must be self-contained. Reads what is rendered inside an editor; with a range, also selects it,
 * so that the next input replaces just that.
 */
export function readRichText(root: Element, range: readonly [Place, Place] | null): RichText {
  type Position = readonly [Node, number];
  interface Context {
    readonly block: Element;
    readonly kind: RichLine["kind"];
    readonly level: number;
    /** Of the list item around; taken by its first line. */
    readonly item: { marker: string };
  }
  interface Built extends Context {
    readonly marker: string;
    readonly startsBlock: boolean;
    readonly signs: { text: string; marks: readonly string[]; at: Position; isSoft: boolean }[];
    readonly at: Position;
  }
  const OBJECT = "\ufffc";
  /** By their look, because editors use elements and styles as they like. */
  const LOOKS: readonly [string, (element: Element, block: Element, chain: readonly Element[]) => boolean][] = [
    [
      "bold",
      (element, block, chain) =>
        (weight(element) >= 600 && weight(block) < 600) || chain.some((part) => part.matches("b, strong")),
    ],
    [
      "italic",
      (element, block) =>
        getComputedStyle(element).fontStyle !== "normal" && getComputedStyle(block).fontStyle === "normal",
    ],
    ["underline", (_element, _block, chain) => chain.some((part) => decoration(part).includes("underline"))],
    ["strike", (_element, _block, chain) => chain.some((part) => decoration(part).includes("line-through"))],
    ["code", (_element, _block, chain) => chain.some((part) => part.matches("code, kbd, samp, tt"))],
  ];
  const lines: Built[] = [];
  let open: Built | null = null;
  /** The block whose last line has been ended by a line break. */
  let broken: Element | null = null;
  const marksOf = new Map<Element, readonly string[]>();

  walkChildren(root, { block: root, kind: "paragraph", level: 0, item: { marker: "" } });
  endLine();
  if (range !== null) select(range[0], range[1]);
  return { lines: lines.map(toLine), hasGaps: hasGaps() };

  function walkChildren(parent: Node, context: Context): void {
    for (const child of [...parent.childNodes]) {
      if (child.nodeType === Node.TEXT_NODE) addText(child as Text, context);
      else if (child.nodeType === Node.ELEMENT_NODE) walkElement(child as Element, context);
    }
  }

  function walkElement(element: Element, context: Context): void {
    const { display } = getComputedStyle(element);
    if (isNoText(element)) return;
    const tag = element.localName;
    if (tag === "br") breakLine(context, [element.parentNode ?? element, indexOf(element)]);
    else if (tag === "hr") addRule(element, context);
    else if (tag === "img") addObject(element, context);
    else if (/^(?:inline|ruby|contents)/.test(display)) walkChildren(element, context);
    else walkBlock(element, context);
  }

  /** Hidden, or something that an editor shows in the text: a placeholder, a handle, the caret of somebody else. */
  function isNoText(element: Element): boolean {
    const { display, visibility, pointerEvents, userSelect } = getComputedStyle(element);
    if (display === "none" || visibility === "hidden" || element.getAttribute("aria-hidden") === "true") return true;
    const isFixed = element.getAttribute("contenteditable") === "false";
    return isFixed && (pointerEvents === "none" || userSelect === "none");
  }

  function walkBlock(element: Element, context: Context): void {
    endLine();
    const known = lines.length;
    const inner = toContext(element, context);
    walkChildren(element, inner);
    endLine();
    // A paragraph without text is a blank line, if it is rendered as one.
    const isText = element.matches("p, li, h1, h2, h3, h4, h5, h6, div, pre");
    if (lines.length > known || !isText || element.children.length > 0 || height(element) === 0) return;
    startLine(inner, [element, 0]);
    endLine();
  }

  function toContext(element: Element, context: Context): Context {
    const around = { ...context, block: element };
    const level = headingLevel(element);
    if (level !== null) return { ...around, kind: "heading", level };
    if (element.matches("li, [role=listitem]")) {
      const depth = context.kind === "item" ? context.level + 1 : 1;
      return { ...around, kind: "item", level: depth, item: { marker: markerOf(element) } };
    }
    const kinds = [["blockquote", "quote"] as const, ["pre", "code"] as const, ["td, th", "cell"] as const];
    const [, kind] = kinds.find(([tags]) => element.matches(tags)) ?? [];
    return kind === undefined ? around : { ...around, kind, level: 0 };
  }

  function headingLevel(element: Element): number | null {
    if (/^h[1-6]$/.test(element.localName)) return Number(element.localName.slice(1));
    return element.getAttribute("role") === "heading" ? Number(element.getAttribute("aria-level") ?? "2") : null;
  }

  /** Some editors draw the markers of their lists themselves, whatever element the list is. */
  function markerOf(item: Element): string {
    const drawn = [item, ...item.children].map((part) => getComputedStyle(part, "::before").content);
    const own = drawn.find((content) => !["none", "normal", '""', ""].includes(content));
    const isOrdered = own === undefined ? item.parentElement?.localName === "ol" : /counter|\d/.test(own);
    const checked = item.getAttribute("aria-checked");
    const box = checked === null ? "" : checked === "true" ? " [x]" : " [ ]";
    if (!isOrdered) return `-${box}`;
    const siblings = [...(item.parentElement?.children ?? [])].filter(({ localName }) => localName === "li");
    const first = (item.parentElement as HTMLOListElement | null)?.start ?? 1;
    return `${first + siblings.indexOf(item)}.`;
  }

  function startLine(context: Context, at: Position): Built {
    const startsBlock = broken !== context.block;
    const marker = context.item.marker;
    context.item.marker = "";
    broken = null;
    open = { ...context, marker: startsBlock ? marker : "", startsBlock, signs: [], at };
    return open;
  }

  function endLine(): void {
    if (open === null) {
      broken = null;
      return;
    }
    while (open.signs.at(-1)?.isSoft === true) open.signs.pop();
    lines.push(open);
    open = null;
    broken = null;
  }

  function breakLine(context: Context, at: Position): void {
    if (open === null) startLine(context, at);
    endLine();
    broken = context.block;
  }

  function addText(node: Text, context: Context): void {
    const keeps = /^(?:pre|break-spaces)/.test(getComputedStyle(node.parentElement ?? root).whiteSpace);
    for (const [index, sign] of node.data.split("").entries()) {
      if (keeps && sign === "\n") breakLine(context, [node, index]);
      else if (!keeps && /[ \t\n\r\f]/.test(sign)) addSpace(node, index, context);
      else addSign(sign, [node, index], context);
    }
  }

  /** Like the browser, which renders several as one and none at the start of a line. */
  function addSpace(node: Text, index: number, context: Context): void {
    const last = open?.signs.at(-1);
    if (last !== undefined && !last.isSoft) addSign(" ", [node, index], context, true);
  }

  function addSign(text: string, at: Position, context: Context, isSoft = false): void {
    if (/[\u200b\u2060\ufeff]/.test(text)) return;
    const line = open ?? startLine(context, at);
    const marks = listMarks(at[0].parentElement ?? root, context.block);
    line.signs.push({ text: text === "\u00a0" ? " " : text, marks, at, isSoft });
  }

  function addObject(element: Element, context: Context): void {
    const at: Position = [element.parentNode ?? element, indexOf(element)];
    const line = open ?? startLine(context, at);
    const marks = [`image ${element.getAttribute("alt") ?? ""}`.trim()];
    line.signs.push({ text: OBJECT, marks, at, isSoft: false });
  }

  function addRule(element: Element, context: Context): void {
    endLine();
    addObject(element, { ...context, block: element, kind: "rule" });
    endLine();
  }

  function indexOf(node: Node): number {
    return [...(node.parentNode?.childNodes ?? [])].indexOf(node as ChildNode);
  }

  function listMarks(element: Element, block: Element): readonly string[] {
    const known = marksOf.get(element);
    if (known !== undefined) return known;
    const chain: Element[] = [];
    for (let at = element; at !== block && at !== root && at.parentElement !== null; at = at.parentElement) {
      chain.push(at);
    }
    const link = chain.find((part) => part.matches("a[href]"))?.getAttribute("href") ?? null;
    const looks = LOOKS.filter(([name, has]) => has(element, block, chain) && !(name === "underline" && link !== null));
    const marks = [...looks.map(([name]) => name), ...(link === null ? [] : [`link ${link}`])];
    marksOf.set(element, marks);
    return marks;
  }

  function toLine(line: Built, index: number): RichLine {
    const spans: { text: string; marks: readonly string[] }[] = [];
    for (const { text, marks } of line.signs) {
      const last = spans.at(-1);
      if (last !== undefined && last.marks.join() === marks.join()) last.text += text;
      else spans.push({ text, marks });
    }
    return { kind: line.kind, level: line.level, marker: line.marker, hasGap: hasGapBefore(index), spans };
  }

  function hasGapBefore(index: number): boolean {
    const [before, line] = [lines[index - 1], lines[index]];
    if (before === undefined || line === undefined || !line.startsBlock) return false;
    if (before.kind === line.kind && ["item", "code", "cell"].includes(line.kind)) return false;
    if (line.block.contains(before.block) || before.block.contains(line.block)) return false;
    const [upper, lower] = [getComputedStyle(before.block), getComputedStyle(line.block)];
    const bottom = before.block.getBoundingClientRect().bottom - toPixels(upper.paddingBottom);
    const top = line.block.getBoundingClientRect().top + toPixels(lower.paddingTop);
    return top - bottom >= toPixels(lower.fontSize) * 0.3;
  }

  /** As two paragraphs show it, or else as the first one is styled. */
  function hasGaps(): boolean {
    const isParagraph = (line: Built | undefined) => line?.kind === "paragraph" && line.block !== root;
    const pair = lines.findIndex(
      (line, index) => index > 0 && line.startsBlock && isParagraph(line) && isParagraph(lines[index - 1]),
    );
    if (pair !== -1) return hasGapBefore(pair);
    const first = lines.find(isParagraph) ?? lines.find((line) => line.kind === "heading");
    if (first === undefined) return false;
    const { marginTop, marginBottom, fontSize } = getComputedStyle(first.block);
    return Math.max(toPixels(marginTop), toPixels(marginBottom)) >= toPixels(fontSize) * 0.3;
  }

  function toPixels(length: string): number {
    return Number.parseFloat(length) || 0;
  }

  function weight(element: Element): number {
    return Number(getComputedStyle(element).fontWeight);
  }

  function decoration(element: Element): string {
    return getComputedStyle(element).textDecorationLine;
  }

  function height(element: Element): number {
    return element.getBoundingClientRect().height;
  }

  function select(from: Place, to: Place): void {
    const isCaret = from.line === to.line && from.column === to.column;
    const end = positionAt(to, "before");
    const start = isCaret ? end : positionAt(from, "after");
    if (start === null || end === null) return;
    const selection = root.ownerDocument.getSelection();
    selection?.setBaseAndExtent(start[0], start[1], end[0], end[1]);
  }

  /** Next to the character before or after the place: at the border of two marks it is on this side. */
  function positionAt({ line: index, column }: Place, side: "before" | "after"): Position | null {
    const line = lines[index];
    if (line === undefined) return root.childNodes.length === 0 ? [root, 0] : null;
    const before = line.signs[column - 1];
    const after = line.signs[column];
    if (after !== undefined && (side === "after" || before === undefined)) return after.at;
    return before === undefined ? line.at : [before.at[0], before.at[1] + 1];
  }
}
