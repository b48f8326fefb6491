import type { Box, NodeStates } from "./observation.ts";

/** What one pass over the DOM of a frame finds out beyond Playwright's snapshot. Boxes are relative to the frame. */
export interface PageFacts {
  readonly baseUrl: string;
  readonly title: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly records: readonly ElementRecord[];
  readonly hiddenRuns: readonly HiddenRun[];
  /** Values of secret fields: to mask by, never to keep. */
  readonly secrets: readonly string[];
}

/** An element about which there is more to say than the snapshot does, in the order of the document. */
export interface ElementRecord {
  readonly box: Box;
  /** Roles that the snapshot may have given it; null: any. */
  readonly roles: readonly string[] | null;
  readonly field: FieldRecord | null;
  readonly states: NodeStates;
  readonly click: ClickRecord | null;
}

export interface FieldRecord {
  readonly type: string;
  readonly placeholder: string | null;
  readonly key: string | null;
  readonly autocomplete: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Null for checkboxes, radio buttons and buttons. Of a secret field: empty, or dots. */
  readonly value: string | null;
}

/** Something that takes clicks. When the snapshot has no node for it, one is made. */
export interface ClickRecord {
  /** Its place in the list of elements that the pass keeps in the page. */
  readonly index: number;
  readonly role: string;
  /** What it says, or what it looks like when it says nothing. */
  readonly name: string;
  /** What it says; empty when its name is a description. */
  readonly text: string;
  /** It has a node in the snapshot if it is to be seen at all. */
  readonly isKnown: boolean;
  /** Boxes of its ancestors, the nearest first. */
  readonly within: readonly Box[];
}

/** Text that is in the document but that nobody can see, with what stands around it in the flow of text. */
export interface HiddenRun {
  readonly text: string;
  /** The same with the space around it that belongs to it. */
  readonly raw: string;
  readonly before: string;
  readonly after: string;
  /** Hidden the way that labels for screen readers are, and short enough to be one. */
  readonly isLabelLike: boolean;
}

/** What a field's `autocomplete` says when its value is nobody else's business. A pattern as text, because it travels into pages. */
export const SECRET_AUTOCOMPLETE = "password|one-time-code|cc-csc|cc-number";
