import type { ExecutionEvidence } from "../contract/execution.ts";
import type { ExecutionEvent } from "../contract/execution-event.ts";

type SideEffects = ExecutionEvidence["side_effects"];

/** Collects the evidence of a failed execution, which has no result, from its events in order. */
export class EvidenceCollector {
  readonly #urls = new Set<string>();
  readonly #ofSteps: SideEffects = [];
  #atEnd: SideEffects = [];
  #verifier: ExecutionEvidence["verifier"] = null;

  add({ type, data }: ExecutionEvent): void {
    if (type === "step") {
      if (typeof data["url"] === "string") this.#urls.add(data["url"]);
      this.#ofSteps.push(...readSideEffects(data["side_effects"]));
    }
    if (type === "verification") this.#verifier = readVerdict(data) ?? this.#verifier;
    if (type === "execution.failed") {
      this.#atEnd = readSideEffects(data["side_effects"]);
      this.#verifier = readVerdict(data["verifier"]) ?? this.#verifier;
    }
  }

  /** The last event lists all side effects; a run that was lost only has those of its steps. */
  collect(): ExecutionEvidence {
    const sideEffects = this.#atEnd.length === 0 ? this.#ofSteps : this.#atEnd;
    return { urls: [...this.#urls], verifier: this.#verifier, side_effects: sideEffects };
  }
}

/** Long events are truncated, so every field may be missing. */
function readSideEffects(value: unknown): SideEffects {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((entry) => {
    const { type } = entry;
    return typeof type === "string" ? [{ ...entry, type }] : [];
  });
}

function readVerdict(value: unknown): ExecutionEvidence["verifier"] {
  if (!isRecord(value)) return null;
  const { agreed, reason } = value;
  return typeof agreed === "boolean" && typeof reason === "string" ? { agreed, reason } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
