import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import {
  findDescendants,
  hasDescendant,
  isButton,
  isCheckable,
  isField,
  readMark,
  readText,
} from "../grounding/page-text.ts";
import { findLabelsInSentence, isLabel, parseBoolean, splitLabel } from "../grounding/short-texts.ts";
import { findPair, isLine } from "./cards.ts";
import { splitLabels } from "./labels-in-line.ts";
import { type LabelledValue, toCell, toPart } from "./record-set.ts";

/** Whether at least two of the children hold a label and a value. */
export function holdsPairs(parent: ObservedNode): boolean {
  return parent.children.filter((child) => toPair(child) !== null).length >= 2;
}

/** The label and the value that the node holds; none or one. */
export function readPairOf(node: ObservedNode): LabelledValue[] {
  const pair = toPair(node);
  return pair === null ? [] : [pair];
}

/** The labelled values of one node and its children. Deeper nodes are read on their own. */
export interface PairReading {
  readonly pairs: readonly LabelledValue[];
  /** Whether the whole node has been read. */
  readonly isWhole: boolean;
}

const NOTHING: PairReading = { pairs: [], isWhole: false };

/** `hasSiblings` tells whether the siblings are pairs as well. */
export function readPairs(node: ObservedNode, hasSiblings: () => boolean): PairReading {
  if (isCheckable(node)) return { pairs: readCheck(node), isWhole: true };
  if (isField(node)) return { pairs: readField(node), isWhole: true };
  if (isChoice(node)) return { pairs: readChoice(node), isWhole: false };
  if (node.children.some(({ role }) => role === "term")) return { pairs: readTerms(node), isWhole: false };
  const marked = readMarked(node);
  if (marked.length > 0) return { pairs: marked, isWhole: true };
  const beside = readBeside(node, hasSiblings);
  if (beside !== null) return { pairs: [beside], isWhole: true };
  if (node.children.length > 0 && !isLine(node)) return NOTHING;
  return { pairs: isButton(node) ? [] : readLine(node), isWhole: true };
}

function readCheck(node: ObservedNode): LabelledValue[] {
  const name = collapseWhitespace(node.name);
  if (name === "" || node.role === "radio") return [];
  return [{ label: name, cell: { ...toPart(node, readMark(node)), quote: readText(node) } }];
}

function isChoice(node: ObservedNode): boolean {
  return (node.role === "radiogroup" || node.role === "group") && node.name !== "";
}

/** The selected radio button of a group. */
function readChoice(group: ObservedNode): LabelledValue[] {
  const isChosen = ({ role, states }: ObservedNode) => role === "radio" && states.checked === true;
  return findDescendants(group, isChosen).map((radio) => ({
    label: collapseWhitespace(group.name),
    cell: { ...toPart(radio, collapseWhitespace(radio.name)), quote: collapseWhitespace(radio.name) },
  }));
}

function readField(node: ObservedNode): LabelledValue[] {
  const label = collapseWhitespace(node.name || node.field?.placeholder || "");
  const text = readText(node);
  return label === "" || text === "" ? [] : [{ label, cell: toPart(node, text) }];
}

/** Terms and the definitions that follow them. Several terms may share a definition, and a term may have several. */
function readTerms(node: ObservedNode): LabelledValue[] {
  const pairs: LabelledValue[] = [];
  let labels: string[] = [];
  let isAfterValue = false;
  for (const child of node.children) {
    if (child.role === "term") {
      if (isAfterValue) labels = [];
      isAfterValue = false;
      labels.push(readText(child).replace(/\s*:$/, ""));
    } else if (child.role === "definition") {
      isAfterValue = true;
      for (const label of labels) pairs.push({ label, cell: toCell(child) });
    }
  }
  return pairs;
}

/** "**Order number:** 123", and several of those in a row. */
function readMarked(node: ObservedNode): LabelledValue[] {
  const pairs: LabelledValue[] = [];
  for (const [index, child] of node.children.entries()) {
    const label = /^([^:]{1,50}):$/.exec(readText(child))?.[1]?.trim() ?? "";
    const value = node.children[index + 1];
    if (!isLabel(label) || value === undefined || hasDescendant(value, ({ role }) => role === "heading")) continue;
    const text = readText(value);
    if (text !== "" && !/:$/.test(text)) pairs.push({ label, cell: toCell(value) });
  }
  return pairs;
}

/** A label and a text in one element, if the text is a value or the siblings are pairs too. */
function readBeside(node: ObservedNode, hasSiblings: () => boolean): LabelledValue | null {
  const pair = toPair(node);
  if (pair === null) return null;
  const isValue = /\d/.test(pair.cell.text) || parseBoolean(pair.cell.text) !== null;
  return isValue || hasSiblings() ? pair : null;
}

function toPair(node: ObservedNode): LabelledValue | null {
  const pair = findPair(node);
  return pair === null ? null : { label: pair.label, cell: toCell(pair.value) };
}

function readLine(node: ObservedNode): LabelledValue[] {
  const text = readText(node);
  const divided = splitLabels(text);
  if (divided.length > 0) return divided.map(({ label, value }) => ({ label, cell: toPart(node, value, value) }));
  const split = splitLabel(text);
  const found = split === null ? findLabelsInSentence(text) : [split];
  return found.map(({ label, value }) => ({ label, cell: toPart(node, value) }));
}
