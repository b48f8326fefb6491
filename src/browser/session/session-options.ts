import type { Clock } from "../../lib/clock.ts";
import type { BrowserState } from "../state/browser-state.ts";

export interface SessionOptions {
  /** Hosts of this run in the form of `parseHostRule`, or "public" for every host at a public address. */
  readonly allowedHosts: readonly string[] | "public";
  /** Hosts that may be at a private address. */
  readonly privateHosts: readonly string[];
  /** In "read_only" nothing that may change something leaves the browser. */
  readonly access: "all" | "read_only";
  /** The user's saved sign-in. */
  readonly state?: BrowserState;
  readonly downloads: { readonly maxFiles: number; readonly maxBytes: number };
  readonly clock: Clock;
}
