import type { ObservedNode } from "./observed-node.ts";

export interface Tab {
  /** "t1", "t2", … in the order they were opened. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** A dialog of the browser's own (alert, confirm, prompt). Until it is answered the page stands still. */
export interface PendingDialog {
  readonly kind: "alert" | "confirm" | "prompt";
  readonly message: string;
  readonly defaultText: string;
}

/** Everything that a planner gets to see of the browser at one moment. */
export interface Observation {
  /** Goes up with each observation of the run. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** The whole page of the current tab, frames included; what stands outside the viewport too. */
  readonly root: ObservedNode;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly tabs: readonly Tab[];
  /** While one is open the tree is the one from before it. */
  readonly dialog: PendingDialog | null;
  /** Equal for two looks at the same state of the same page. */
  readonly fingerprint: string;
}
