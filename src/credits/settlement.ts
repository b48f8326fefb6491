/** What becomes of the reserved credits when an execution ends: only a verified result is paid for. */
export function settle(status: "COMPLETED" | "FAILED"): { kind: "capture" | "release"; charged: boolean } {
  return status === "COMPLETED" ? { kind: "capture", charged: true } : { kind: "release", charged: false };
}
