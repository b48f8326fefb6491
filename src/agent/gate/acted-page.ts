import { labelOf, type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { runInSlices } from "../../lib/waiting.ts";
import type { ActionCall } from "../actions/action.ts";
import { readText } from "../grounding/page-text.ts";
import type { Moment } from "./harmless.ts";
import { type OrderReading, readOrder, readOrderBySteps } from "./read-order.ts";

const AROUND: ReadonlySet<string> = new Set("dialog alertdialog region complementary contentinfo banner".split(" "));
const DIALOGS: ReadonlySet<string> = new Set(["dialog", "alertdialog"]);
const RECORDS: ReadonlySet<string> = new Set(["row", "listitem", "article", "treeitem"]);
const SIGNS_IN = /\b(?:sign|log)[ -]?(?:in|on)\b/i;
const MAX_AROUND = 1_500;

/** The page at the moment of an action, and the element that is acted on. What it says is read only when it is needed. */
export class ActedPage {
  readonly observation: Observation;
  /** Null for an action without an element. */
  readonly node: ObservedNode | null;
  readonly label: string;
  readonly #ancestors: readonly ObservedNode[];
  #order: OrderReading | null = null;

  constructor({ input }: ActionCall, observation: Observation) {
    const visit = walk(observation.root).find(({ node: { ref } }) => ref !== null && ref === input["ref"]);
    this.observation = observation;
    this.node = visit?.node ?? null;
    this.#ancestors = visit?.ancestors ?? [];
    this.label = this.node === null ? String(input["label"] ?? input["key"] ?? "") : labelOf(this.node);
  }

  /** Whether the field that is acted on, or that has the focus, is for searching. */
  get isSearch(): boolean {
    const focused = walk(this.observation.root).find(({ node }) => node.states.active === true)?.node;
    const field = this.node ?? focused ?? null;
    return field !== null && (field.role === "searchbox" || /\b(?:search|find)\b/i.test(labelOf(field)));
  }

  /** Reads the order ahead, so that `order` has it. On a large page it takes long, so other work gets its turn. */
  async readOrderAhead(): Promise<void> {
    this.#order ??= await runInSlices(readOrderBySteps(this.observation));
  }

  get order(): OrderReading {
    this.#order ??= readOrder(this.observation);
    return this.#order;
  }

  /** The text of the dialog that the action is in; empty outside of dialogs. */
  get dialogText(): string {
    const dialog = this.#ancestors.findLast(({ role }) => DIALOGS.has(role));
    return dialog === undefined ? "" : `${dialog.name} ${readText(dialog)}`;
  }

  describe(): Pick<Moment, "label" | "url" | "hasSecretField" | "isSignInPage" | "around"> {
    const { root, title, url } = this.observation;
    const box = this.#ancestors.findLast(({ role }) => AROUND.has(role));
    const around = box === undefined ? "" : `${box.name} ${readText(box)}`;
    return {
      label: this.label,
      url,
      hasSecretField: walk(root).some(({ node: { field } }) => field?.isSecret === true),
      isSignInPage: [title, ...this.#headings(2)].some((text) => SIGNS_IN.test(text)),
      around: around.length <= MAX_AROUND ? around : "",
    };
  }

  /** What the row or card is called that the action is in, by its first text; null outside of lists. */
  get recordName(): string | null {
    const { record } = this;
    if (record === undefined) return null;
    const texts = walk(record).filter(({ node }) => node !== this.node && node.children.length === 0);
    return texts.map(({ node }) => readText(node)).find((text) => text !== "" && text !== this.label) ?? null;
  }

  /** The row or card that the action is in. */
  get record(): ObservedNode | undefined {
    return this.#ancestors.findLast(({ role }) => RECORDS.has(role));
  }

  /** What the action chooses: the row or card it is in, or else the page. In a cart everything has a row, so nothing. */
  nameChoice(): string[] {
    if (this.order.items.length > 0) return [];
    const { record } = this;
    return record === undefined
      ? [this.observation.title, ...this.#headings(3)]
      : [readText(record).slice(0, MAX_AROUND)];
  }

  #headings(max: number): string[] {
    const headings = walk(this.observation.root).filter(({ node }) => node.role === "heading");
    return [...headings.take(max)].map(({ node }) => readText(node));
  }
}
