import type { LiveChoices, LiveField } from "../live-browser.ts";

/** What the watching script tells of its document. */
export type Note =
  | { readonly type: "field"; readonly field: LiveField | null }
  | { readonly type: "choices"; readonly choices: LiveChoices }
  /** Something has changed, perhaps only the title. */
  | { readonly type: "changed"; readonly isLarge: boolean };
