import { labelOf, type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { runAtOnce } from "../../lib/waiting.ts";
import { readRecordSets, readRecordsAhead } from "../extraction/read-record-sets.ts";
import type { Row } from "../extraction/record-set.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { isCheckable, isField, readText } from "../grounding/page-text.ts";
import type { Amount } from "./people.ts";

/** What a page says about what is about to be sent. */
export interface OrderReading {
  /** The amount to pay; null when the page states none, or several. */
  readonly total: Amount | null;
  /** The amounts that make it up: totals of all kinds, and the prices of the items. */
  readonly amounts: readonly number[];
  /** What is in the cart or the order. */
  readonly items: readonly OrderItem[];
  /** Who gets it, where a field or a line names one. */
  readonly recipient: string | null;
  /** Everything that names who gets it, each in one or two parts: the line itself, and the lines after it. */
  readonly addresses: readonly (readonly string[])[];
  /** Names of the options and check boxes that are on. */
  readonly chosen: readonly string[];
  /** What the fields of the page hold, without secrets. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
  /** All text of the page and of its fields, folded. */
  readonly text: string;
}

export interface OrderItem {
  readonly name: string;
  readonly quantity: number;
  /** All amounts of money that its row states. */
  readonly prices: readonly number[];
}

export function readOrder(observation: Observation): OrderReading {
  return runAtOnce(readOrderBySteps(observation));
}

/** Yields now and then: on a large page it takes long. */
export function* readOrderBySteps({ root }: Observation): Generator<void, OrderReading> {
  const values = readValues(root);
  const text = foldVisible([readText(root), ...values.map(({ value }) => value)].join("\n"));
  yield;
  const totals = findTotals(readLines(root));
  yield* readRecordsAhead(root);
  const items = findItems(root);
  yield;
  const amounts = [...totals.map(({ value }) => value), ...items.flatMap(({ prices }) => prices)];
  const addresses = [...findRecipientFields(values), ...findAddresses(root)];
  const checked = [...walk(root)].filter(({ node }) => isCheckable(node) && node.states.checked === true);
  const chosen = checked.map(({ node }) => labelOf(node));
  const recipient = addresses[0]?.find((part) => part !== "") ?? null;
  return { total: totals.at(-1) ?? null, amounts, items, recipient, addresses, chosen, values, text };
}

const MAX_VALUES = 100;
/** More than a person reads. What is approved is compared with this, so it is not cut sooner. */
const MAX_VALUE_CHARS = 20_000;

/** What the fields of a page hold, without secrets. */
export function readValues(root: Observation["root"]): OrderReading["values"] {
  const values = [...walk(root)].flatMap(({ node }) => {
    if (!isField(node) || node.isBehind === true || node.field?.isSecret === true) return [];
    const value = (node.value ?? "").trim();
    return value === "" ? [] : [{ name: labelOf(node), value: value.slice(0, MAX_VALUE_CHARS) }];
  });
  return values.slice(0, MAX_VALUES);
}

const TOTAL =
  /(?:^|\b)(?:(?:grand|order|cart|final|overall)\s+)?total\b(?!\s+(?:savings?|items?|discount|products?|results?|pages?))|\b(?:amount due|amount to pay|balance due|to pay|you pay|to be paid)\b|\b(?:gesamt(?:summe|betrag|preis)?|endsumme|zu zahlen|montant total|total à payer|importe total|totale)\b|合計/i;
const NOT_TOTAL = /\b(?:sub-?total|goods|zwischensumme|sous-total|before tax|excl)\b/i;

/** All totals, in order. The last is the one to pay: what comes before it are its parts. */
function findTotals(texts: readonly string[]): Amount[] {
  const found = texts.flatMap((text, index) => {
    const isPart = NOT_TOTAL.test(text);
    if (!TOTAL.test(text) && !isPart) return [];
    const money = toMoney(text) ?? (/\d/.test(text) ? null : toMoney(texts[index + 1] ?? ""));
    return money === null ? [] : [{ ...money, isPart }];
  });
  return found
    .toSorted((one, other) => Number(other.isPart) - Number(one.isPart))
    .map(({ isPart: _, ...money }) => money);
}

/** Short texts of the page, in order: rows and paragraphs, and their parts. */
function readLines(root: Observation["root"]): string[] {
  return [...walk(root)]
    .filter(({ node }) => node.children.length === 0 || LINES.has(node.role))
    .map(({ node }) => readText(node))
    .filter((text) => text !== "" && text.length <= 120);
}

const LINES: ReadonlySet<string> = new Set(["row", "listitem", "paragraph", "term", "definition"]);

/** The one amount of money in a text; a list of several is not a total. */
function toMoney(text: string): Amount | null {
  const money = parseAmounts(text).filter(({ currency }) => currency !== null);
  const last = money.at(-1);
  if (last === undefined || last.currency === null || new Set(money.map(({ value }) => value)).size > 1) return null;
  return { value: last.value, currency: last.currency };
}

const QUANTITY_COLUMN = /^(?:qty|quantity|amount|count|number|pieces|menge|anzahl|quantité|cantidad)\b/i;
const TIMES = /(?:^|\s)(\d{1,4})\s*[×x]\s|[×x]\s*(\d{1,4})(?:\s|$)|\bqty:?\s*(\d{1,4})\b|\bquantity:?\s*(\d{1,4})\b/i;
const REMOVES = /^(?:remove|delete|×|✕)\b|^remove/i;

const OTHER_LIST =
  /\b(?:saved? for later|wish ?list|favou?rites|recently (?:viewed|seen)|recommended|you may also|also (?:like|bought|viewed)|related|similar|others? (?:bought|viewed))\b/i;

/** Records that state how many there are, or that can be removed: so carts do, and recommendations do not. */
function findItems(root: Observation["root"]): OrderItem[] {
  return readRecordSets(root).flatMap(({ kind, name, rows, columns, titleColumn }) => {
    if (kind === "labelled" || OTHER_LIST.test(name)) return [];
    const quantityColumn = columns.find((column) => QUANTITY_COLUMN.test(column));
    return rows.flatMap((row) => toItem(row, quantityColumn, titleColumn) ?? []);
  });
}

function toItem(row: Row, quantityColumn: string | undefined, titleColumn: string | null): OrderItem | null {
  const whole = readText(row.node);
  const money = parseAmounts(whole).filter(({ currency }) => currency !== null);
  const title = (titleColumn === null ? undefined : row.cells.get(titleColumn)) ?? row.cells.values().next().value;
  const quantity = readQuantity(row, quantityColumn, whole);
  if (money.length === 0 || title === undefined || quantity === null) return null;
  const name = money
    .reduce((text, { quote }) => text.replace(quote, " "), title.text)
    .replace(/^\s*\d{1,4}\s*[×x]\s+|\s+[×x]\s*\d{1,4}\s*$/i, "")
    .trim();
  return name === "" || CHARGE.test(name) ? null : { name, quantity, prices: money.map(({ value }) => value) };
}

/** Rows of an order that are no items. */
const CHARGE =
  /\b(?:delivery|shipping|postage|handling|fees?|tax(?:es)?|vat|discount|voucher|coupon|tip|surcharge|deposit|total|versand|rabatt|mwst|livraison|envío)\b/i;

/** Null for a record that is not part of an order. */
function readQuantity({ cells, node }: Row, column: string | undefined, whole: string): number | null {
  const cell = column === undefined ? undefined : cells.get(column);
  const inCell = /^\s*(\d{1,4})\b/.exec(cell?.text ?? "")?.[1];
  if (inCell !== undefined) return Number(inCell);
  const fields = [...walk(node)].filter(({ node: inner }) => isField(inner) && /^\d{1,4}$/.test(inner.value ?? ""));
  const inField = fields.find(({ node: inner }) => /qty|quantit|amount|menge|anzahl|number/i.test(labelOf(inner)));
  if (inField !== undefined) return Number(inField.node.value);
  const times = TIMES.exec(whole)
    ?.slice(1)
    .find((digits) => digits !== undefined);
  if (times !== undefined) return Number(times);
  const isRemovable = [...walk(node)].some(({ node: inner }) => inner.ref !== null && REMOVES.test(labelOf(inner)));
  return isRemovable ? 1 : null;
}

const RECIPIENT_FIELD =
  /^(?:to|an|recipients?|send to|e-?mail to|empfänger|destinataire|destinatario|payee|beneficiary|ship(?:ping)? to)\b/i;

const RECIPIENT_LINE =
  /^(?:ship(?:s|ping)? (?:to|address)|deliver(?:y|ed|s)? (?:to|address)|recipient|send to|lieferadresse|adresse de livraison|address(?=:|$))(?::|\b|$)\s*(.*)$/i;

function findRecipientFields(values: OrderReading["values"]): string[][] {
  return values.filter(({ name }) => RECIPIENT_FIELD.test(name.trim())).map(({ value }) => [value]);
}

const MAX_ADDRESS_LINES = 6;
const MAX_ADDRESS_CHARS = 300;

/** Lines such as "Delivery address", each with what follows it up to the next heading. */
function findAddresses(root: Observation["root"]): string[][] {
  return [...walk(root)].flatMap(({ node, ancestors }) => {
    const [label, rest = ""] = node.children.length > 0 ? [] : (RECIPIENT_LINE.exec(readText(node)) ?? []);
    if (label === undefined) return [];
    const after = ancestors.map(({ children }, level) =>
      children.slice(children.indexOf(ancestors[level + 1] ?? node) + 1),
    );
    // A link with this name leads to the address. Otherwise the lines after it are in its own box or in one around it.
    const lines = node.ref === null ? after.slice(-MAX_LEVELS).reverse().map(readAddress) : [];
    const following = lines.find((text) => text !== "") ?? "";
    const address = [rest, following.length > MAX_ADDRESS_CHARS ? "" : following];
    return address.join("") === "" ? [] : [address];
  });
}

const MAX_LEVELS = 3;

function readAddress(following: readonly ObservedNode[]): string {
  const end = following.findIndex(({ role }) => role === "heading" || role === "term");
  const nodes = following.slice(0, end === -1 ? MAX_ADDRESS_LINES : Math.min(end, MAX_ADDRESS_LINES));
  return nodes
    .map(readOutsideTargets)
    .filter((line) => line !== "" && toMoney(line) === null)
    .join(", ");
}

/** Without buttons such as "Change". */
function readOutsideTargets(node: ObservedNode): string {
  if (node.ref !== null) return "";
  return node.children.length === 0 ? readText(node) : node.children.map(readOutsideTargets).filter(Boolean).join(" ");
}
