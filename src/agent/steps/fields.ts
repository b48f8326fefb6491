import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { findPlacedField, isSamePlace } from "../../browser/observation/twin-fields.ts";
import { parseDate } from "../grounding/dates.ts";
import { fold } from "../grounding/names.ts";
import { hasTwins, readText } from "../grounding/page-text.ts";
import { followTab, noteEffect } from "./changes.ts";
import { act, find, locate, use } from "./elements.ts";
import { describeNode, isSameField } from "./find-target.ts";
import { capitalize, quoteNames, shorten } from "./names.ts";
import type { Effect, Running, StepsRun } from "./run.ts";
import { type StepOf, type Target, toTarget } from "./step.ts";

const ON = /^(?:on|yes|true|checked|enabled|ticked|1)$/i;

/** Text into a field; an option of a list, or the state of a checkbox, when the target is one. */
export function* fill(target: Target, value: string, submit: boolean, run: StepsRun): Running {
  if (find(target, "fill", run).kind === "none" && find(target, "check", run).kind === "found")
    return yield* check(target, ON.test(value), run);
  const node = yield* locate(target, "fill", run);
  if (node.field?.type === "select" || node.role === "listbox") return yield* selectIn(target, value, run);
  yield* write(target, value, submit, run);
}

function* write(target: Target, text: string, submit: boolean, run: StepsRun): Running {
  const { field } = yield* locate(target, "fill", run);
  const isSecret = field?.isSecret === true;
  // A date field takes one form only, whatever its language shows.
  const value = field?.type === "date" ? (parseDate(text)?.day ?? text) : text;
  const input = { text: value, ...(submit ? { submit } : {}) };
  const shown = isSecret ? "the given secret" : `"${shorten(value)}"`;
  const isSearch = submit && target.role === "search field";
  const doing = (name: string) => (isSearch ? `Search for ${shown} in ${name}` : `Enter ${shown} into ${name}`);
  const used = yield* use({ target, purpose: "fill", action: "fill", input, doing }, run);
  if (!submit) return noteField(used, value, run);
  run.lastField = used.node;
  yield* followTab(used.report, run);
  noteEffect(used, run);
}

type Used = Effect & { readonly node: ObservedNode };

/** Notes what was entered, and what that changed. */
function noteField(used: Used, value: string, run: StepsRun): void {
  run.lastField = used.node;
  noteEntry(used, value, run);
  noteEffect(used, run);
}

/** A field that keeps its value is checked at the end. Secrets are never compared. */
function noteEntry(used: Used, value: string, run: StepsRun): void {
  const { node, report } = used;
  const { place, urlBefore, urlAfter } = report;
  const label = labelOf(node);
  if (node.field?.isSecret === true || urlBefore !== urlAfter) return;
  const same = run.conditions.findIndex(
    (known) =>
      known.kind === "field" && known.url === urlAfter && known.label === label && isSamePlace(known.place, place),
  );
  if (same !== -1) run.conditions.splice(same, 1);
  run.conditions.push({
    kind: "field",
    url: urlAfter,
    label,
    place,
    value,
    isSaved: false,
    about: `${capitalize(describeNode(node))} holds "${shorten(value)}"`,
  });
}

type Edit = StepOf<"edit">["edit"];

/** Changes a part of a text, and nothing else of it. */
export function* edit({ target: named, clear, ...change }: Edit, run: StepsRun): Running {
  const target = toTarget(named);
  if (clear === true) return yield* write(target, "", false, run);
  const codes = { not_found: "TEXT_NOT_FOUND", invalid_input: "AMBIGUOUS" } as const;
  const doing = (name: string) => `Edit the text of ${name}`;
  const used = yield* use({ target, purpose: "fill", action: "edit", input: toEditInput(change), doing, codes }, run);
  run.lastField = used.node;
  const now = findAgain(used, run)?.value ?? null;
  // Of a long text a page may show only a part.
  if (now !== null && now.length <= MAX_EDITED_CHARS) noteEntry(used, now, run);
  noteEffect(used, run);
}

/** The field as the page shows it now. One that has twins is found by where it stands. */
function findAgain({ node: field, report: { place } }: Used, { observation: { root } }: StepsRun): ObservedNode | null {
  const found = hasTwins(place) ? findPlacedField(root, labelOf(field), place) : null;
  if (found !== null) return found.kind === "found" ? found.node : null;
  return [...walk(root)].find(({ node }) => isSameField(node, field))?.node ?? null;
}

const MAX_EDITED_CHARS = 2_000;

function toEditInput({ replace, with: replacement = "", all, insert = "", after, append }: Omit<Edit, "target">) {
  const every = all === true ? { all } : {};
  if (append !== undefined) return { text: append, append: true };
  return replace === undefined ? { text: insert, after, ...every } : { text: replacement, replace, ...every };
}

/** An option of a list; without a list, the only radio button, option or tab of that name. */
export function* select(list: string | Target | undefined, value: string, run: StepsRun): Running {
  if (list !== undefined) return yield* selectIn(toTarget(list), value, run);
  for (const role of ["radio", "option", "checkbox", "tab", "menu item", "button", "link"]) {
    const found = find({ role, name: value }, "click", run);
    if (found.kind === "several") throw run.stop("AMBIGUOUS", found.reason);
    if (found.kind !== "found" || !isOfRole(found.node, role)) continue;
    if (role === "radio" || role === "checkbox") return yield* check({ role, name: value }, true, run);
    const owner = role === "option" ? findOwner(found.node, run) : null;
    if (owner !== null) return yield* selectIn({ name: labelOf(owner), role: "list" }, value, run);
    return yield* act({ role, name: value }, "click", {}, "Click", run);
  }
  throw run.stop("NOT_FOUND", `The page has no option, radio button or tab "${shorten(value)}".`);
}

function isOfRole(node: ObservedNode, role: string): boolean {
  return role === "menu item" ? node.role.startsWith("menuitem") : node.role === role;
}

/** The list that an option belongs to; null when the list has no name to find it by. */
function findOwner(option: ObservedNode, { observation }: StepsRun): ObservedNode | null {
  const place = [...walk(observation.root)].find(({ node }) => node === option);
  const owner = place?.ancestors.findLast(({ role }) => role === "combobox" || role === "listbox");
  return owner === undefined || owner.ref === null || labelOf(owner) === "" ? null : owner;
}

function* selectIn(target: Target, value: string, run: StepsRun): Running {
  demandOption(yield* locate(target, "select", run), value, run);
  const doing = (name: string) => `Select "${shorten(value)}" in ${name}`;
  const used = yield* use({ target, purpose: "select", action: "select", input: { options: [value] }, doing }, run);
  noteField(used, findAgain(used, run)?.value ?? value, run);
}

/** Of a list that shows its options, one must have just this name: "Pro" is not "Pro Plus". */
function demandOption(list: ObservedNode, value: string, run: StepsRun): void {
  const options = [...walk(list)].filter(({ node }) => node.role === "option").map(({ node }) => readText(node));
  if (options.length === 0 || options.some((option) => fold(option) === fold(value))) return;
  const names = quoteNames(options, 8);
  throw run.stop("NOT_FOUND", `${capitalize(describeNode(list))} has no option "${shorten(value)}". It has: ${names}.`);
}

export function* check(target: Target, checked: boolean, run: StepsRun): Running {
  const doing = (name: string) => `${checked ? "Check" : "Uncheck"} ${name}`;
  const used = yield* use({ target, purpose: "check", action: "check", input: { checked }, doing }, run);
  noteField(used, checked ? "checked" : "unchecked", run);
}
