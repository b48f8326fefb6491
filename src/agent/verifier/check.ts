/** One statement that the verifier checked, and what it found. */
export interface Check {
  readonly about: string;
  readonly verdict: "satisfied" | "contradicted" | "unknown";
  readonly evidence: string;
  /** What the user must know even if everything is satisfied. */
  readonly note?: string;
}

export interface Verdict {
  readonly agreed: boolean;
  readonly reason: string;
  readonly checks: readonly Check[];
}
