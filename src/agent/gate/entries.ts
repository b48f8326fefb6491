import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { simplify } from "../../browser/observation/twin-fields.ts";
import type { ActionCall } from "../actions/action.ts";
import { isField, readText } from "../grounding/page-text.ts";
import type { ActedPage } from "./acted-page.ts";
import { withoutFragment } from "./commit.ts";
import { toOptionKey } from "./options.ts";
import { findParty, type Party } from "./parties.ts";
import { readValues } from "./read-order.ts";

/** What the run has entered into a field, or chosen among options. */
export interface Entry {
  /** Of the field or the group; empty for a group without one. */
  readonly label: string;
  readonly value: string;
  /** What there was to choose from, the chosen one too; empty for text, and for a list that was closed. */
  readonly options: readonly string[];
  readonly party: Party;
  readonly autocomplete: string;
  /** The labels of the fields beside it, without its own. */
  readonly otherLabels: ReadonlySet<string>;
  /** What the fields of its page held at last, by their labels. */
  readonly held: Map<string, string>;
  readonly url: string;
}

/** Entries that are no part of what is sent: they look for something, or change how it is shown. */
const SEARCHES = /\b(?:search|find|filter|sort|order by|per page|view|captcha)\b/i;

/** What the run has entered on the way to something that lasts. A later entry of the same kind replaces an earlier one. */
export class Entries {
  #entries = new Map<string, Entry>();

  get all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Before what is done on a page is noted. */
  look(page: ActedPage): void {
    const url = withoutFragment(page.observation.url);
    this.#forgetFilters(url);
    const own = this.all.filter((entry) => entry.url === url);
    if (own.length === 0) return;
    for (const [label, value] of readHeld(page)) for (const { held } of own) held.set(label, value);
  }

  note(call: ActionCall, page: ActedPage): void {
    const { observation, node } = page;
    const url = withoutFragment(observation.url);
    if (node === null || node.field?.isSecret === true || page.isSearch || SEARCHES.test(labelOf(node))) return;
    if (isSwitch(call, node)) this.#switch(node, url);
    const input = readChoice(call, node, observation.root) ?? readFill(call, node);
    const around = input === null ? null : findAround(node, page);
    if (input === null || around === null || around.isSearch) return;
    if (node.role === "option" && call.action === "click") this.#forgetTyped(url);
    this.#set(input, around, { page, url, autocomplete: node.field?.autocomplete ?? "" });
  }

  #set(input: Input, around: Around, { page, url, autocomplete }: Place): void {
    const { label, value, options, key } = input;
    const party = findParty([label, autocomplete, ...around.names]);
    const id = JSON.stringify([simplify(label) || key || options, party === "receiver" ? null : party]);
    this.#entries.delete(id);
    if (value.trim() === "") return;
    const otherLabels = new Set(around.labels.filter((each) => each !== simplify(label)));
    const held = readHeld(page).set(simplify(label), value);
    this.#entries.set(id, { label, value, options, party, autocomplete, otherLabels, held, url });
  }

  /** What comes next is something else. */
  clear(): void {
    this.#entries.clear();
  }

  /** What was typed before a suggestion is taken was only for finding it. */
  #forgetTyped(url: string): void {
    const [id, last] = [...this.#entries].at(-1) ?? [];
    if (id !== undefined && last?.url === url && last.options.length === 0) this.#entries.delete(id);
  }

  /** What is in the query of a page has chosen what it shows. */
  #forgetFilters(url: string): void {
    const shown = new Set([...(URL.parse(url)?.searchParams.values() ?? [])].map(simplify));
    for (const [id, { value }] of this.#entries) if (shown.has(simplify(value))) this.#entries.delete(id);
  }

  /** A link or a button may choose another option on a later page. */
  #switch(node: ObservedNode, url: string): void {
    const key = toOptionKey(labelOf(node));
    for (const [id, entry] of this.#entries) {
      // Another group of the same page may have an option of this name.
      if (RADIOS.has(node.role) && entry.url === url) continue;
      const option = entry.options.find((each) => toOptionKey(each) === key);
      if (option !== undefined) this.#entries.set(id, { ...entry, value: option });
    }
  }
}

interface Place extends Pick<Entry, "url" | "autocomplete"> {
  readonly page: ActedPage;
}

function readHeld({ observation }: ActedPage): Map<string, string> {
  return new Map(readValues(observation.root).map(({ name, value }) => [simplify(name), value]));
}

/** What an action enters or chooses. */
interface Input {
  readonly value: string;
  readonly options: readonly string[];
  readonly label: string;
  /** The name of the group in the page, where it has no label. */
  readonly key: string;
}

const RADIOS: ReadonlySet<string> = new Set(["radio", "menuitemradio", "option"]);

function isSwitch({ action, input }: ActionCall, { role }: ObservedNode): boolean {
  return action === "click" || (action === "check" && input["checked"] === true && RADIOS.has(role));
}

function readFill({ action, input }: ActionCall, node: ObservedNode): Input | null {
  const text = action === "fill" ? input["text"] : null;
  return typeof text === "string" ? { value: text, options: [], label: labelOf(node), key: "" } : null;
}

/** The one option that an action chooses; null for other actions. */
function readChoice(call: ActionCall, node: ObservedNode, root: ObservedNode): Input | null {
  const { options } = call.input;
  if (call.action === "select") {
    if (!Array.isArray(options) || options.length !== 1) return null;
    const all = listNames(node, ({ role }) => RADIOS.has(role));
    return { value: String(options[0]), options: all, label: labelOf(node), key: node.field?.key ?? "" };
  }
  if (!isSwitch(call, node) || !RADIOS.has(node.role)) return null;
  const ancestors = walk(root).find((visit) => visit.node === node)?.ancestors ?? [];
  const key = node.field?.key ?? "";
  const isAlike = (each: ObservedNode) => each.role === node.role && (each.field?.key ?? "") === key;
  const group = key === "" ? ancestors.findLast((each) => listNames(each, isAlike).length > 1) : root;
  const named = ancestors.findLast(({ role, name }) => GROUPS.has(role) && name !== "");
  const label = named === undefined ? "" : named.name;
  return { value: labelOf(node), options: listNames(group ?? node, isAlike), label, key };
}

const GROUPS: ReadonlySet<string> = new Set(["radiogroup", "group", "listbox", "combobox", "menu"]);

function listNames(parent: ObservedNode, matches: (node: ObservedNode) => boolean): string[] {
  return [...walk(parent)].flatMap(({ node }) => (matches(node) ? [labelOf(node)] : [])).filter((name) => name !== "");
}

interface Around {
  /** What the field stands in, from the inside out, and the headings above it. */
  readonly names: readonly string[];
  readonly labels: readonly string[];
  readonly isSearch: boolean;
}

function findAround(node: ObservedNode, { observation: { root, title } }: ActedPage): Around {
  const headings: string[] = [];
  const labels: string[] = [];
  let ancestors: readonly ObservedNode[] = [];
  let isPassed = false;
  for (const visit of walk(root)) {
    if (isField(visit.node)) labels.push(simplify(labelOf(visit.node)));
    if (visit.node === node) ({ ancestors } = visit);
    isPassed ||= visit.node === node;
    if (!isPassed && visit.node.role === "heading") headings.push(readText(visit.node));
  }
  const boxes = ancestors.map(({ name }) => name).filter((name) => name !== "" && name !== title);
  const names = [...boxes.reverse(), ...headings.slice(-2).reverse(), title];
  return { names, labels, isSearch: ancestors.some(({ role }) => role === "search") };
}
