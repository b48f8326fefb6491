import type { Line } from "../../../_harness/model-script.ts";
import type { Kept, Routes, Store } from "./site.ts";

export type Values = Readonly<Record<string, string>>;

/** Keeps something else than the site says. */
export type Lie = (store: Store, sent: Values) => void;

/** An errand on a site that shows what it has kept, and the ways in which that may be something else. */
export interface KeptErrand {
  readonly name: string;
  /** What is asked for when a recipe is learned, and then. */
  readonly learned: Values;
  readonly asked: Values;
  readonly prompt: (values: Values) => string;
  /** The same as a file of steps. */
  readonly steps: (values: Values) => string;
  /** The same as what a model does. */
  readonly lines: (values: Values) => readonly Line[];
  /** What the site has before. */
  readonly before?: readonly Kept[];
  /** The site. What it does with what it gets is `keep`. */
  readonly routes: (store: Store, keep: (sent: Values) => void) => Routes;
  readonly keep: Lie;
  /** What the site has afterwards, without ids; in any order. */
  readonly wanted: (values: Values) => readonly Kept[];
  readonly lies: Readonly<Record<string, Lie>>;
}
