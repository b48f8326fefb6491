import type { Task } from "../../grounding/claim.ts";
import type { FoundValue } from "../read-value.ts";
import type { Form, ListSlot, ObjectSlot, ValueSlot } from "./form.ts";
import { gatherRows, type MappedSet, toMappedSet } from "./gather-rows.ts";
import {
  type Answered,
  createRowFinder,
  type FoundItem,
  findLeftOut,
  findMixed,
  type GroundedItem,
  groundItem,
  groundValue,
  readRow,
} from "./ground-values.ts";
import { continues, readMapping } from "./mapping.ts";
import type { AnsweredRecords, PageAnswer } from "./page-answer.ts";
import { isList, type ReadPage } from "./read-page.ts";

export interface Objection {
  /** The id of a value, a list or an object. */
  readonly about: string;
  readonly reason: string;
}

/** Why ordered rows are not final yet. */
export const MORE_PAGES = "More pages exist, and their rows may come first: gather them as well.";

/** Everything found so far that was confirmed by the page, and why the rest was rejected. */
export class Findings {
  readonly values = new Map<string, FoundValue>();
  readonly sources = new Map<string, MappedSet[]>();
  readonly items = new Map<string, { readonly page: ReadPage; readonly item: FoundItem }[]>();
  /** Why something is missing, by id. */
  readonly reasons = new Map<string, string>();
  readonly #form: Form;
  readonly #task: Task;

  constructor(form: Form, task: Task) {
    this.#form = form;
    this.#task = task;
  }

  /** Drops the records of a page that is about to be read again. Returns whether there were any. */
  forget(page: ReadPage): boolean {
    return this.#targets.map(({ id }) => this.#forgetRecords(id, page)).some(Boolean);
  }

  /** Takes records whose columns are known from an earlier page, without asking. Returns the ids they are for. */
  continueOn(page: ReadPage): ReadonlySet<string> {
    const known = new Set<string>();
    for (const { id } of this.#targets) {
      const mappings = new Set((this.sources.get(id) ?? []).map(({ mapping }) => mapping));
      for (const mapping of mappings) {
        const [set, second] = page.sets.filter(isList).filter((candidate) => continues(mapping, candidate));
        if (set === undefined || second !== undefined) continue;
        this.#addSource(id, toMappedSet(page, set, mapping));
        known.add(id);
        break;
      }
    }
    for (const object of this.#form.objects) {
      if (!known.has(object.id)) continue;
      for (const slot of object.slots) known.add(slot.id);
      for (const { about, reason } of this.#pick(object)) this.#note(about, reason);
    }
    return known;
  }

  /** Takes what the page confirms, and returns objections to the rest. */
  take(answer: PageAnswer, page: ReadPage): Objection[] {
    for (const id of this.#findNamed(answer)) this.#forgetRecords(id, page);
    const objections = answer.records.flatMap((records) => this.#takeRecords(records, page));
    const single = answer.values.filter(({ item }) => item === undefined);
    const itemised = answer.values.filter(({ item }) => item !== undefined);
    objections.push(...this.#takeValues(single, page), ...this.#takeItems(itemised, page));
    for (const { about, reason } of objections) this.#note(about, reason);
    return objections;
  }

  #takeRecords(answer: AnsweredRecords, page: ReadPage): Objection[] {
    const target = this.#targets.find(({ id }) => id === answer.target);
    if (target === undefined) return [{ about: answer.target, reason: "the schema has no such list or object" }];
    const reading = readMapping(answer, page.offers, target.slots, this.#task);
    if (reading.kind === "refused") return [{ about: target.id, reason: reading.reason }];
    this.#addSource(target.id, toMappedSet(page, reading.offer.set, reading.mapping));
    const object = this.#form.objects.find(({ id }) => id === target.id);
    return object === undefined ? [] : this.#pick(object);
  }

  /** Picks the one row, of all pages, that an object stands for, so that its values belong together. */
  #pick(object: ObjectSlot): Objection[] {
    const { id, slots } = object;
    const [first, ...others] = this.sources.get(id) ?? [];
    if (first === undefined) return [];
    for (const slot of slots) if (first.mapping.columns.has(slot.id)) this.values.delete(slot.id);
    const { rows, problem, coverage, awaitsPages, isTied } = gatherRows([first, ...others], null);
    const [only] = rows;
    if (problem !== null) return [{ about: id, reason: problem }];
    if (awaitsPages) {
      // Another answer would not change that; the next pages will.
      this.#note(id, MORE_PAGES);
      return [];
    }
    if (only === undefined || rows.length > 1 || isTied) {
      return [{ about: id, reason: `${isTied ? "several" : rows.length} rows match, not one (${coverage})` }];
    }
    for (const slot of slots) {
      const read = readRow(only, slot);
      if (read !== null) this.#set(slot.id, read);
    }
    return [];
  }

  #takeValues(answers: readonly Answered[], page: ReadPage): Objection[] {
    const objections: Objection[] = [];
    const taken: { slot: ValueSlot; found: FoundValue }[] = [];
    for (const answer of answers) {
      const slot = this.#form.values.find(({ id }) => id === answer.leaf);
      const result =
        slot === undefined ? "the schema has no such value outside of lists" : groundValue(answer, slot, page);
      if (typeof result === "string") objections.push({ about: answer.leaf, reason: result });
      else if (result !== null && slot !== undefined) taken.push({ slot, found: result });
    }
    const mixed = this.#findMixed(taken, page);
    for (const { slot, found } of taken) {
      const records = mixed.get(slot.id);
      if (records === undefined) this.#set(slot.id, found);
      else
        objections.push({
          about: slot.id,
          reason: `it is in another row of ${records} than the other values of its object`,
        });
    }
    return objections;
  }

  /** Values of one object must not come from different rows of one table. */
  #findMixed(taken: readonly { slot: ValueSlot; found: FoundValue }[], page: ReadPage): ReadonlyMap<string, string> {
    const rowsOf = createRowFinder(page);
    const mixed = new Map<string, string>();
    for (const { slots } of this.#form.objects) {
      const own = taken.filter(({ slot }) => slots.some(({ id }) => id === slot.id));
      const rows = own.map(({ found }) => rowsOf(found.quote));
      const offer = findMixed(rows);
      if (offer === null) continue;
      for (const [index, { slot }] of own.entries()) if (rows[index]?.has(offer)) mixed.set(slot.id, offer.id);
    }
    return mixed;
  }

  /** Items that are given one by one: those that are in no table and no list of the page, or are parts of its cells. */
  #takeItems(answers: readonly Answered[], page: ReadPage): Objection[] {
    const objections: Objection[] = [];
    const rowsOf = createRowFinder(page);
    for (const list of this.#form.lists) {
      const own = answers.filter(({ leaf }) => list.slots.some(({ id }) => id === leaf));
      const items: GroundedItem[] = [];
      for (const [item, parts] of Map.groupBy(own, (answer) => answer.item)) {
        const taken = groundItem(parts, list, page, rowsOf);
        if (typeof taken === "string") objections.push({ about: list.id, reason: `item ${item}: ${taken}` });
        else items.push(taken);
      }
      const leftOut = findLeftOut(items);
      if (leftOut !== null) objections.push({ about: list.id, reason: leftOut });
      else for (const { item } of items) this.#addItem(list.id, item, page);
    }
    return objections;
  }

  /** What is wrong with an object is also why its values are missing. */
  #note(about: string, reason: string): void {
    const slots = this.#form.objects.find(({ id }) => id === about)?.slots ?? [];
    for (const id of [about, ...slots.map((slot) => slot.id)]) {
      if (!this.values.has(id)) this.reasons.set(id, reason);
    }
  }

  #set(id: string, found: FoundValue): void {
    this.values.set(id, found);
    this.reasons.delete(id);
  }

  #addSource(id: string, source: MappedSet): void {
    const others = (this.sources.get(id) ?? []).filter(({ page, set }) => page !== source.page || set !== source.set);
    this.sources.set(id, [...others, source]);
    this.reasons.delete(id);
  }

  #addItem(id: string, item: FoundItem, page: ReadPage): void {
    const items = this.items.get(id) ?? [];
    const says = (one: FoundItem) => JSON.stringify([...one].map(([leaf, { value }]) => [leaf, value]).sort());
    if (!items.some((known) => says(known.item) === says(item))) this.items.set(id, [...items, { page, item }]);
    this.reasons.delete(id);
  }

  get #targets(): readonly (ListSlot | ObjectSlot)[] {
    return [...this.#form.lists, ...this.#form.objects];
  }

  #findNamed({ records, values }: PageAnswer): string[] {
    const itemised = new Set(values.flatMap(({ item, leaf }) => (item === undefined ? [] : [leaf])));
    const isItemised = ({ slots }: ListSlot) => slots.some((slot) => itemised.has(slot.id));
    return [...records.map(({ target }) => target), ...this.#form.lists.filter(isItemised).map(({ id }) => id)];
  }

  #forgetRecords(id: string, page: ReadPage): boolean {
    const [sources, items] = [this.sources.get(id) ?? [], this.items.get(id) ?? []];
    const isOther = (known: { readonly page: ReadPage }) => !isSameState(known.page, page);
    this.sources.set(id, sources.filter(isOther));
    this.items.set(id, items.filter(isOther));
    return !(sources.every(isOther) && items.every(isOther));
  }
}

function isSameState(one: ReadPage, other: ReadPage): boolean {
  const [first, second] = [one.observation, other.observation];
  return first.url === second.url && first.fingerprint === second.fingerprint;
}
