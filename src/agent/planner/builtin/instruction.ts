import type { Question } from "../../extraction/questions/question.ts";
import type { Ordinal } from "./english/ordinals.ts";
import type { Target } from "./reading/target.ts";

/** Where a value comes from. */
export type Value =
  | { readonly from: "task"; readonly text: string }
  /** What an earlier step read or copied. */
  | { readonly from: "memory" }
  /** "the value of Color", "the text below": read from the page, with the words that describe it. */
  | { readonly from: "page"; readonly described: string };

/** One thing that the task asks for. `said` is the clause it was read from. */
export type Instruction = { readonly said: string } & (
  | { readonly kind: "goto"; readonly url: string }
  | { readonly kind: "back" }
  | { readonly kind: "reload" }
  | {
      readonly kind: "click";
      readonly target: Target;
      readonly times: "once" | "double" | "all" | number;
      readonly explores: boolean;
    }
  /** "open X", "go to X": a link, a tab, a section, a thing of a list. */
  | { readonly kind: "open"; readonly target: Target }
  | { readonly kind: "find"; readonly target: Target }
  | { readonly kind: "hover"; readonly target: Target }
  | { readonly kind: "focus"; readonly target: Target }
  | { readonly kind: "set"; readonly target: Target | null; readonly value: Value; readonly all: boolean }
  /** A suggestion of a field, known only by how it begins and ends. */
  | { readonly kind: "complete"; readonly target: Target | null; readonly start: string; readonly end: string }
  | { readonly kind: "clear"; readonly target: Target }
  | { readonly kind: "choose"; readonly options: string; readonly from: Target | null }
  | { readonly kind: "check"; readonly target: Target; readonly on: boolean | "toggle" }
  | { readonly kind: "search"; readonly query: string }
  | { readonly kind: "sort"; readonly by: string; readonly direction: "ascending" | "descending" | null }
  | { readonly kind: "page"; readonly which: "next" | "previous" | "first" | "last" | number }
  | { readonly kind: "expand"; readonly target: Target | null; readonly open: boolean; readonly all: boolean }
  | { readonly kind: "menu"; readonly path: readonly string[] }
  /** `button`: what the same words mean where no dialog is open, as "confirm" may be a button of the page. */
  | {
      readonly kind: "dialog";
      readonly answer: "accept" | "dismiss";
      readonly text: string | null;
      readonly button: Target | null;
    }
  | { readonly kind: "add"; readonly count: number; readonly product: Target | null; readonly to: string }
  | { readonly kind: "submit" }
  | { readonly kind: "scroll"; readonly to: "top" | "bottom" | "down" | "up" | Target; readonly area: Target | null }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "await"; readonly text: string; readonly gone: boolean }
  | { readonly kind: "press"; readonly keys: string; readonly target: Target | null }
  | { readonly kind: "drag"; readonly target: Target; readonly to: Target }
  | { readonly kind: "copy"; readonly from: Target; readonly part: Part | null }
  | { readonly kind: "sign_in"; readonly user: string; readonly password: string }
  | { readonly kind: "sign_out" }
  | { readonly kind: "nothing" }
  /** `isOnPage`: only what this page shows, and not the rest of a list. */
  | { readonly kind: "ask"; readonly question: Question; readonly isOnPage: boolean }
);

/** "the 2nd word of". */
export interface Part {
  readonly unit: "word" | "line";
  readonly ordinal: Ordinal;
}
