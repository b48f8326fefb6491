import type { ListExtent, NodeStates } from "./observation.ts";

/** What one pass over the document of a frame has read. Boxes are relative to the frame. */
export interface PageFacts {
  readonly baseUrl: string;
  readonly title: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly tree: readonly (TreeNode | string)[];
  /** Values of secret fields. Used for masking, never stored. */
  readonly secrets: readonly string[];
  /** Only of the main frame. */
  readonly extents: readonly ListExtent[];
  /** Notices that have vanished since the last pass. Only of the main frame. */
  readonly notices: readonly string[];
}

/** A node of the tree. What is usual is left out, because a page may have thousands. */
export interface TreeNode {
  readonly role: string;
  readonly name?: string | undefined;
  /** Of a frame or a possible target: a number that its element keeps as long as it is in the document. */
  readonly number?: number | undefined;
  /** Of a possible target: its words, compared before it is acted on. */
  readonly words?: string | undefined;
  /** Of a possible target: it is drawn as the selected one among others. */
  readonly isPicked?: boolean | undefined;
  /** The mouse can hit it: it has a size, is visible and takes pointer events. */
  readonly canHit?: boolean | undefined;
  /** It can be hit, and has a pointer cursor that is not that of something around it. */
  readonly hasPointer?: boolean | undefined;
  /** Left, top, width and height. None without a size. */
  readonly box?: readonly number[] | undefined;
  readonly states?: NodeStates | undefined;
  readonly url?: string | undefined;
  /** It lies behind an open dialog. */
  readonly isBehind?: boolean | undefined;
  /** A progress bar that says how far it is. */
  readonly isMeasured?: boolean | undefined;
  readonly record?: ElementRecord | undefined;
  readonly children?: readonly (TreeNode | string)[] | undefined;
}

/** What is known about an element beyond its role, its name and its states. */
export interface ElementRecord {
  readonly field: FieldRecord | null;
  readonly states: NodeStates;
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

/** An element that can be acted on. */
interface ClickRecord {
  readonly role: string;
  /** Its words, or a description of its appearance when it has none. */
  readonly name: string;
  /** Its role makes it a target anyway. */
  readonly isKnown: boolean;
}

/** Values of `autocomplete` that mark a secret field. A regular expression as text, because it is sent to pages. */
export const SECRET_AUTOCOMPLETE = "password|one-time-code|cc-csc|cc-number";
