import type { Extraction, Leaf } from "../fact.ts";

/** What has been found so far, and what has not. */
export class Draft {
  readonly leaves: Leaf[] = [];
  readonly missing: Extraction["missing"][number][] = [];
  /** Pointers of what the schema does not require and the page does not say. */
  readonly leftOut: string[] = [];
  /** How complete the lists are, in words. */
  readonly notes: string[] = [];

  addLeaf(leaf: Leaf): void {
    this.leaves.push(leaf);
  }

  addMissing(pointer: string, reason: string): void {
    this.missing.push({ pointer, reason });
  }

  addLeftOut(pointer: string): void {
    this.leftOut.push(pointer);
  }

  /** To take back what an attempt has found that leads to nothing. */
  mark(): () => void {
    const [leaves, missing, notes] = [this.leaves.length, this.missing.length, this.notes.length];
    const leftOut = this.leftOut.length;
    return () => {
      this.leftOut.length = leftOut;
      this.leaves.length = leaves;
      this.missing.length = missing;
      this.notes.length = notes;
    };
  }
}

export type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "absent"; readonly reason: string };

export function absent(reason: string): Outcome {
  return { kind: "absent", reason };
}

/** A JSON pointer one step further. */
export function pointTo(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** An own property whatever it is called: "__proto__" must not reach the prototype. */
export function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
