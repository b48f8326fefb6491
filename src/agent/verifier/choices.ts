import { labelOf as nameOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";
import { findDescendants } from "../grounding/page-text.ts";
import { type Case, type Entry, findAllEntries } from "./case.ts";
import { carriesEntry } from "./commit-entries.ts";
import { findSubmissions, isLookupLabel } from "./sent-entries.ts";

/** An option that the run chose of several, to see only some of the rows of a list. */
export interface Choice {
  readonly step: StepCause;
  /** What the options are about: "Status". May be empty. */
  readonly label: string;
  /** Folded, as the others. */
  readonly chosen: readonly string[];
  /** The options that were not chosen. */
  readonly others: ReadonlySet<string>;
  /** Whether a page shows that it is chosen. */
  readonly isShownOn: (page: CapturedPage) => boolean;
}

/** The last choices from lists, radio buttons and tabs that were made to see something. */
export function findChoices(context: Case): Choice[] {
  const entries = findAllEntries(context.steps);
  return context.steps.flatMap((step): Choice[] => {
    const entry = entries.find((each) => each.step === step.step) ?? null;
    const visit = step.hasFailed ? undefined : findVisit(step, context);
    if (visit === undefined || isOfRecord(visit) || isKept(step, entry, context)) return [];
    const choice =
      entry?.kind === "choice" ? toSelected(entry, visit.node, context) : toMarked(visit.node, visit.ancestors);
    const first = context.captured.list().find((page) => isSamePage(page.url, step.url));
    // What was chosen already may be the option that shows all.
    if (choice === null || (first !== undefined && choice.isShownOn(first))) return [];
    return [{ step, ...choice }];
  });
}

type BareChoice = Omit<Choice, "step">;

/** A field may have no name but the text beside it, so it is not looked for by that. */
function findVisit({ seen }: StepCause, { captured }: Case) {
  const page = seen === null ? null : captured.find(seen.observationNumber);
  return page === null || seen?.position == null ? undefined : [...walk(page.root)][seen.position];
}

const RECORDS: ReadonlySet<string> = new Set(["row", "listitem", "article", "dialog", "alertdialog"]);
/** A language or a currency for the whole site. */
const AROUND: ReadonlySet<string> = new Set(["banner", "contentinfo"]);
const MARKED: ReadonlySet<string> = new Set(["radio", "tab"]);

/** It belongs to one record, or to the site. Radio buttons and tabs are often the items of a list themselves. */
function isOfRecord({ node, ancestors }: { readonly node: ObservedNode; readonly ancestors: readonly ObservedNode[] }) {
  const isItem = ({ role }: ObservedNode) => role === "listitem" && MARKED.has(node.role);
  return ancestors.some((each) => AROUND.has(each.role) || (RECORDS.has(each.role) && !isItem(each)));
}

/** Whether the site was sent the choice, and not only to look something up. */
function isKept({ step, url }: StepCause, entry: Entry | null, context: Case): boolean {
  if (context.writes.some(({ cause }) => cause?.step === step)) return true;
  if (entry === null) return false;
  const later = findSubmissions(context).filter((each) => each.step > step && isSamePage(each.url, url));
  const mayKeep = later.filter(({ call }) => !isLookupLabel(String(call.input["label"] ?? "")));
  return mayKeep.some(({ accepted }) => accepted.some((write) => carriesEntry(write, entry) !== "no"));
}

function toSelected({ url, label, parts }: Entry, node: ObservedNode, { captured }: Case): BareChoice | null {
  const chosen = parts.map(toOption);
  const own = findOptions(node, isOption);
  const isOfChoice = ({ role }: ObservedNode) => role === "listbox";
  // The list of a field that is drawn by the page is elsewhere, and only while it is open.
  const opened = captured
    .list()
    .filter((page) => isSamePage(page.url, url))
    .flatMap(({ root }) => findDescendants(root, isOfChoice))
    .map((list) => findOptions(list, isOption))
    .find((options) => chosen.every((each) => options.includes(each)));
  const options = own.length > 0 ? own : (opened ?? []);
  if (!chosen.every((each) => options.includes(each))) return null;
  const value = foldVisible(parts.join(", "));
  return {
    label,
    chosen,
    others: new Set(options.filter((option) => !chosen.includes(option))),
    isShownOn: ({ root }) =>
      walk(root).some(({ node: each }) => nameOf(each) === label && foldVisible(each.value ?? "") === value),
  };
}

const GROUPS: ReadonlySet<string> = new Set(["radiogroup", "group", "tablist"]);

/** A radio button or a tab. */
function toMarked(target: ObservedNode, ancestors: readonly ObservedNode[]): BareChoice | null {
  const { role } = target;
  const group = ancestors.findLast((each) => GROUPS.has(each.role));
  if (!MARKED.has(role) || group === undefined) return null;
  const chosen = toOption(target.name);
  const options = findOptions(group, (node) => node.role === role);
  return {
    label: group.name,
    chosen: [chosen],
    others: new Set(options.filter((option) => option !== chosen)),
    isShownOn: ({ root }) =>
      walk(root).some(({ node }) => {
        const isMarked = node.states.checked === true || node.states.selected === true;
        return isMarked && node.role === role && toOption(node.name) === chosen;
      }),
  };
}

function findOptions(node: ObservedNode, isOne: (node: ObservedNode) => boolean): string[] {
  return findDescendants(node, isOne).map(({ name }) => toOption(name));
}

/** Without the number of rows that it has: "Done (4)". */
function toOption(name: string): string {
  return foldVisible(name).replace(/\s*\(\d[\d.,]*\)$/, "");
}

function isOption({ role }: ObservedNode): boolean {
  return role === "option";
}
