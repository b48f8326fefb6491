import type { Box, NodeStates } from "./observation.ts";

/** What the scan of a frame's DOM adds to Playwright's snapshot. Boxes are relative to the frame. */
export interface PageFacts {
  readonly baseUrl: string;
  readonly title: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly records: readonly ElementRecord[];
  readonly hiddenRuns: readonly HiddenRun[];
  readonly brokenTexts: readonly BrokenText[];
  /** Boxes of the elements behind an open dialog, and of nothing in front of it. */
  readonly behind: readonly Box[];
  /** Values of secret fields. Used for masking, never stored. */
  readonly secrets: readonly string[];
}

/** An element with facts that the snapshot lacks. Records are in document order. */
export interface ElementRecord {
  /** Its index in the list of elements that the scan keeps in the page. */
  readonly index: number;
  readonly box: Box;
  /** Roles that the snapshot may have given it; null: any. */
  readonly roles: readonly string[] | null;
  readonly field: FieldRecord | null;
  readonly states: NodeStates;
  /** Its words, compared before it is acted on; empty when there is nothing to compare. */
  readonly words: string;
  readonly click: ClickRecord | null;
  readonly drawn: DrawnField | null;
}

/** What a person takes for one field, although a library has made it of several elements. */
export interface DrawnField {
  /** Of the native field that it stands in for, which nobody sees. May be empty. */
  readonly label: string;
  /** It stands in for a native list. */
  readonly isList: boolean;
  /** It is no field of its own: another stands in for it, or it only shows the value of the field around it. */
  readonly isPart: boolean;
  /** It is only around a field, and a click on it goes to the field. */
  readonly isAround: boolean;
  /** What is drawn in the field and is no text that was typed into it; null when that is not known. */
  readonly value: string | null;
  readonly placeholder: string | null;
  /** The texts on the page that are the value or the placeholder. */
  readonly texts: readonly string[];
}

export interface FieldRecord {
  readonly type: string;
  readonly placeholder: string | null;
  readonly key: string | null;
  readonly autocomplete: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** It lies behind another field and only shows a hint in it. */
  readonly isHint: boolean;
  /** Null for checkboxes, radio buttons and buttons. Of a secret field: empty, or dots. */
  readonly value: string | null;
}

/** An element that can be acted on. When the snapshot has no node for it, one is added. */
export interface ClickRecord {
  readonly role: string;
  /** Its words, or a description of its appearance when it has none. */
  readonly name: string;
  /** The snapshot has a node for it, maybe without a ref. */
  readonly isKnown: boolean;
  /** Boxes of its ancestors, the nearest first. */
  readonly within: readonly Box[];
}

/** A text that is broken into lines somewhere on the page. */
export interface BrokenText {
  /** Without the breaks, as the snapshot has it. */
  readonly glued: string;
  /** With a space for each break, for every place with the glued text, in order. Not all of them need to have breaks. */
  readonly forms: readonly string[];
}

/** Invisible text, with the text before and after it. */
export interface HiddenRun {
  readonly text: string;
  /** The text with its surrounding white space. */
  readonly raw: string;
  readonly before: string;
  readonly after: string;
  /** Hidden the way labels for screen readers are, and short enough to be one. */
  readonly isLabelLike: boolean;
}

/** Values of `autocomplete` that mark a secret field. A regular expression as text, because it is sent to pages. */
export const SECRET_AUTOCOMPLETE = "password|one-time-code|cc-csc|cc-number";
