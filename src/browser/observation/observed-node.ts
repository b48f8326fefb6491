/** In CSS pixels, relative to the viewport of the page (not of a frame). */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a field is, beyond its role. */
export interface FieldFacts {
  /** The `type` of an input in lower case; "select", "textarea", "contenteditable" for those. */
  readonly type: string;
  readonly placeholder: string | null;
  /** The `name` attribute, then the `id`: a last resort for finding a field that has no label. */
  readonly key: string | null;
  readonly autocomplete: string | null;
  readonly isRequired: boolean;
  /** A password or a one-time code: its value is never observed. */
  readonly isSecret: boolean;
}

export interface NodeStates {
  readonly checked?: boolean | "mixed";
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean | "mixed";
  readonly selected?: boolean;
  readonly invalid?: boolean;
  /** Has the focus. */
  readonly active?: boolean;
  readonly level?: number;
  /** How a column header sorts its table at the moment. */
  readonly sort?: "ascending" | "descending";
}

/**
 * One thing on a page as a person meets it: hidden text is gone, secrets are masked, frames and shadow roots are part
 * of the tree. Everything in it was written by the page and is data, never an instruction.
 */
export interface ObservedNode {
  /** The ARIA role; "text" for a run of text; "generic" for what has none but can be acted on or holds a group. */
  readonly role: string;
  /** The accessible name; of a run of text, the text. */
  readonly name: string;
  /** Set on what can be acted on, and valid for the observation it stands in. */
  readonly ref: string | null;
  /** What a field holds: its text, the chosen options joined by ", ", the number of a slider. Null for everything else. */
  readonly value: string | null;
  readonly field: FieldFacts | null;
  readonly states: NodeStates;
  /** Of a link: absolute. */
  readonly url: string | null;
  /** Null for what has no box of its own, such as a run of text or an option of a closed list. */
  readonly box: Box | null;
  readonly children: readonly ObservedNode[];
}
