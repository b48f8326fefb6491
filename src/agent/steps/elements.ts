import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { ExecutionErrorCode } from "../../contract/execution-error.ts";
import type { ActionReport } from "../actions/action.ts";
import { type RecordSet, type Row, titleOf } from "../extraction/record-set.ts";
import { containsWords, fold } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { followTab, noteEffect } from "./changes.ts";
import { describeAmongTwins, describeNode, type Finding, findTarget, type Purpose } from "./find-target.ts";
import { chooseList } from "./lists.ts";
import { listTexts, pickNth, shorten } from "./names.ts";
import { demandSuccess, type Effect, type Running, type StepsRun } from "./run.ts";
import type { Target } from "./step.ts";

const PATIENCE_MS = [300, 700, 1500];

/** The element that is meant. Stops with the reason when there is none, or more than one. */
export function* locate(target: Target, purpose: Purpose, run: StepsRun): Running<ObservedNode> {
  const attempt = () => find(target, purpose, run);
  const found = yield* run.retry(attempt, ({ kind }) => kind !== "none", PATIENCE_MS);
  if (found.kind === "several") throw run.stop("AMBIGUOUS", found.reason);
  if (found.kind === "none") throw run.stop("NOT_FOUND", found.reason);
  return found.node;
}

export function find(target: Target, purpose: Purpose, run: StepsRun): Finding {
  const { observation, lastField } = run;
  if (target.role === "it") return findIt(target, purpose, run);
  const named = target.role === "result" ? null : findTarget(observation, target, purpose, lastField);
  if (named !== null && (named.kind !== "none" || target.nth === undefined)) return named;
  return findEntry(target, run) ?? named ?? { kind: "none", reason: "The page has no list of results." };
}

/** "the first search result", "the third product": the link of that entry of the list. */
function findEntry({ nth = 1, name, role }: Target, { observation }: StepsRun): Finding | null {
  const noun = role === "result" ? (name ?? "results") : (name ?? "");
  const choice = chooseList([observation], { noun });
  if (choice.kind !== "chosen") return { kind: "none", reason: choice.reason };
  const { set } = choice.merged;
  const row = pickNth(set.rows, nth);
  if (row === undefined) return { kind: "none", reason: `The list has only ${set.rows.length} entries.` };
  return findLink(row, set);
}

/** The link of an entry. */
function findLink(row: Row, set: Pick<RecordSet, "titleColumn">): Finding {
  const title = titleOf(row, set);
  const nodes = [...walk(row.node)].map(({ node }) => node).filter(({ ref }) => ref !== null);
  const links = nodes.filter((node) => node.role === "link");
  const node = links.find(({ ref }) => ref === title?.ref) ?? links[0] ?? nodes[0];
  return node === undefined ? { kind: "none", reason: "The entry has no link." } : { kind: "found", node };
}

/** "open it": the row that was read before; after a search, the only result, or the only one that has what was searched for. */
function findIt({ name }: Target, purpose: Purpose, run: StepsRun): Finding {
  const choice = name === undefined ? null : chooseList([run.observation], { noun: "results" });
  if (name !== undefined && choice?.kind !== "chosen") return findTarget(run.observation, { name }, purpose);
  const set = choice?.kind === "chosen" ? choice.merged.set : run.records?.set;
  const rows = set?.rows ?? [];
  const wanted = fold(name ?? "");
  const titled = rows.map((row) => ({ row, title: fold((set && titleOf(row, set)?.text) ?? "") }));
  const levels: ((entry: (typeof titled)[number]) => boolean)[] = [
    ({ title }) => title === wanted,
    ({ title }) => containsWords(title, wanted),
    ({ row }) => containsWords(fold(readText(row.node)), wanted),
  ];
  const named = levels.map((isMeant) => titled.filter(isMeant)).find(({ length }) => length > 0) ?? [];
  const found = name === undefined ? titled : named;
  const [only, ...others] = found;
  if (only === undefined || set === undefined) return { kind: "none", reason: 'It is not clear what "it" is.' };
  if (others.length === 0) return findLink(only.row, set);
  const listed = listTexts(found.map(({ row }) => `"${shorten(titleOf(row, set)?.text ?? "", 50)}"`));
  return { kind: "several", reason: `"it" could be any of: ${listed}. Say which, such as "the first result".` };
}

/** Failures that something in front of the element may have caused. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["covered", "no_effect", "timeout"]);

interface Use {
  readonly target: Target;
  readonly purpose: Purpose;
  readonly action: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** What is done, beginning with a verb. */
  readonly doing: (name: string) => string;
  /** How a run ends whose action fails in this way. */
  readonly codes?: Readonly<Record<string, ExecutionErrorCode>>;
}

/** Finds the element and acts on it; once more when the page was redrawn meanwhile or a cookie banner was in the way. */
export function* use(
  { target, purpose, action, input = {}, doing, codes = {} }: Use,
  run: StepsRun,
): Running<Effect & { readonly node: ObservedNode }> {
  const before = run.observation;
  for (let tries = 1; ; tries++) {
    const node = yield* locate(target, purpose, run);
    const report = yield* actOn(node, action, input, `${doing(describeNode(node))}.`, run);
    const kind = report.failure?.kind ?? "";
    if (tries < 3 && (kind === "stale" || (IN_THE_WAY.has(kind) && (yield* closeBanner(run))))) continue;
    const code = codes[kind];
    if (code !== undefined) throw run.stop(code, report.failure?.message ?? "");
    const what = doing(describeAmongTwins(node, before));
    demandSuccess(report, what, run);
    return { what, before, report, node };
  }
}

export function* actOn(
  node: ObservedNode,
  action: string,
  input: Readonly<Record<string, unknown>>,
  why: string,
  run: StepsRun,
): Running<ActionReport> {
  if (node.ref === null) throw run.stop("NOT_ACTIONABLE", `Nothing can be done with ${describeNode(node)}.`);
  return yield* run.act([{ action, input: { ref: node.ref, label: labelOf(node), ...input } }], why);
}

const BANNER = /\bcookies?\b|\bconsent\b|\bprivacy\b|\bnewsletter\b/i;
/** Declining comes first: nobody asked to agree to anything. */
const WAYS_OUT: readonly RegExp[] = [
  /^(?:reject|decline|refuse|deny)\b|^(?:only )?(?:necessary|essential)\b|^no,? thanks?$|^not now$/i,
  /^(?:close|dismiss|[x×✕✖]$|skip|hide)/i,
];
const MAX_BANNER = 2_000;

/** Declines or closes a banner about cookies, consent or a newsletter. False when the page shows none. */
function* closeBanner(run: StepsRun): Running<boolean> {
  const buttons = [...walk(run.observation.root)].filter(
    ({ node, ancestors }) =>
      (node.role === "button" || node.role === "link") &&
      node.ref !== null &&
      ancestors.some((ancestor) => isBanner(ancestor)),
  );
  for (const way of WAYS_OUT) {
    const button = buttons.find(({ node }) => way.test(labelOf(node).trim()))?.node;
    if (button === undefined) continue;
    return (
      (yield* actOn(button, "click", {}, `Close what covers the page with ${describeNode(button)}.`, run)).failure ===
      null
    );
  }
  return false;
}

export function isBanner(node: ObservedNode): boolean {
  if (!/^(?:dialog|alertdialog|region|complementary|banner|contentinfo|generic|group)$/.test(node.role)) return false;
  const text = readText(node);
  return text.length < MAX_BANNER && BANNER.test(text);
}

/** Click, hover, upload: the element is found by its target, and the effect is noted. */
export function* act(
  target: Target,
  action: string,
  input: Record<string, unknown>,
  verb: string,
  run: StepsRun,
  purpose: Purpose = "click",
): Running {
  const used = yield* use({ target, purpose, action, input, doing: (name) => `${verb} ${name}` }, run);
  yield* followTab(used.report, run);
  noteEffect(used, run);
}
