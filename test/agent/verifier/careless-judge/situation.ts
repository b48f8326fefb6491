import type { Extraction } from "../../../../src/agent/grounding/claim.ts";
import type { StatedClaim } from "../../../../src/agent/planner/model/claims.ts";
import { Html } from "../../../../src/lib/html.ts";
import type { Line } from "../../../_harness/model-script.ts";
import { layOut } from "../../../sites/page.ts";
import { type Answer, type Route, showPage } from "../../../sites/site.ts";

/** What was done to a true claim to make it a lie. */
export type Mutation =
  | "wrong value"
  | "invented quote"
  | "value of another item"
  | "value under another label"
  | "swapped rows"
  | "missing rows"
  | "extra rows"
  | "wrong count or total"
  | "negated prose"
  | "invented clause"
  | "typed by the run"
  | "text for assistants"
  | "error message as proof"
  | "refused or lost change"
  | "change never sent"
  | "wrong recipient or value"
  | "change in a question"
  | "part of a list"
  | "none without proof";

/** A claim as a model states it, with what it did to the extracted data. */
export interface Told extends StatedClaim {
  readonly data?: (extraction: Extraction) => Extraction;
}

export interface Lie extends Told {
  readonly kind: Mutation;
  /** Code is known not to catch it: it counts as passed, and no whole run is made with it. */
  readonly needsJudge?: true;
}

/** One task, with claims about the same run that are true and others that are not. */
export interface AskedTask {
  readonly prompt: string;
  readonly truths: readonly Told[];
  readonly lies: readonly Lie[];
}

/** A page situation: some pages, and one run on them. */
export interface Situation {
  readonly name: string;
  readonly start: string;
  /** With a state of their own each time. */
  readonly routes: () => Readonly<Record<string, Route>>;
  /** What the model does before it says that it is done. */
  readonly lines?: readonly Line[];
  readonly schema?: Readonly<Record<string, unknown>>;
  /** What it says when it is asked where on a page the data is. */
  readonly mapping?: Line;
  /** The run is given the first of them. */
  readonly tasks: readonly [AskedTask, ...AskedTask[]];
}

type Proof = string | { readonly field: string; readonly value: string };

/** An answer with the quotes of its facts and, for a change, its proofs. */
export function say(answer: string, quotes: readonly string[] = [], proofs: readonly Proof[] = []): StatedClaim {
  return {
    answer,
    facts: quotes.map((quote) => ({ about: "the answer", quote })),
    proofs: proofs.map((proof) => (typeof proof === "string" ? { text: proof } : proof)),
  };
}

export function lie(kind: Mutation, claim: Told): Lie {
  return { kind, ...claim };
}

/** A lie that only a judge who understands the words can tell. */
export function subtleLie(kind: Mutation, claim: Told): Lie {
  return { kind, needsJudge: true, ...claim };
}

export function page(title: string, body: string, status = 200): Answer {
  return showPage(layOut(title, new Html(body)), status);
}

/** A route for a page that never changes. */
export function show(title: string, body: string): Route {
  return () => page(title, body);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, texts: readonly string[]) => texts.map((text) => `<${tag}>${text}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("");
  return `<table><thead><tr>${cells("th", head)}</tr></thead><tbody>${body}</tbody></table>`;
}

/** The data without, with or with other rows, where it is a list under one key. */
export function editRows(edit: (rows: readonly Row[]) => readonly Row[]): (extraction: Extraction) => Extraction {
  return (extraction) => {
    const [key, list] = Object.entries(extraction.data as Record<string, unknown>).find(([, value]) =>
      Array.isArray(value),
    ) as [string, Record<string, unknown>[]];
    const rows = list.map((item, index) =>
      Object.fromEntries(
        Object.entries(item).map(([name, value]) => [
          name,
          { value, leaf: extraction.leaves.find(({ pointer }) => pointer === `/${key}/${index}/${name}`) },
        ]),
      ),
    ) as Row[];
    const edited = edit(rows);
    const leaves = edited.flatMap((row, index) =>
      Object.entries(row).flatMap(([name, { leaf, value, quote }]) =>
        leaf === undefined ? [] : [{ ...leaf, pointer: `/${key}/${index}/${name}`, value, quote: quote ?? leaf.quote }],
      ),
    );
    const data = edited.map((row) => Object.fromEntries(Object.entries(row).map(([name, { value }]) => [name, value])));
    return { ...extraction, data: { [key]: data }, leaves };
  };
}

type Cell = { value: unknown; quote?: string; leaf: Extraction["leaves"][number] | undefined };
export type Row = Readonly<Record<string, Cell>>;
