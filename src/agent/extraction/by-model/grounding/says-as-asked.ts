import { EMPTY_NODE } from "../../../../browser/observation/tree.ts";
import { type Resolved, resolveSchema, type ScalarShape } from "../../schema/shape.ts";
import { toWanted } from "../../schema/wanted.ts";
import { findWantedUnit } from "../../units/wanted-unit.ts";
import { readNumbers, readValue } from "./read-value.ts";

const MAX_OPTIONS = 20;

/**
 * Whether a quote says a value in the unit, or as the one of several values, that the schema asks for at its place; null
 * where the schema does not say what is asked for.
 */
export function saysAsAsked(value: unknown, quote: string, pointer: string, schema: unknown): boolean | null {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  const names = steps.filter((step) => !/^\d+$/.test(step));
  const scalars = findScalars(schema, steps, schema);
  if (scalars.length === 0) return null;
  return scalars.some(({ resolved, shape }) => {
    const name = names.at(-1) ?? "";
    const wanted = toWanted(name, resolved, names.slice(0, -1));
    const unit = findWantedUnit(name, resolved.description || resolved.title);
    const asked = { wanted, shape, unit };
    if (typeof value === "number" && shape.values === null) return readNumbers(quote, asked).includes(value);
    const cell = { text: quote, quote, whole: quote, url: null, ref: null, node: EMPTY_NODE };
    return readValue(cell, asked, null)?.value === value;
  });
}

interface AskedScalar {
  readonly resolved: Resolved;
  readonly shape: ScalarShape;
}

function findScalars(schema: unknown, steps: readonly string[], root: unknown, hops = 0): AskedScalar[] {
  const resolved = resolveSchema(schema, root);
  if (resolved === null || hops > MAX_OPTIONS) return [];
  const { shape } = resolved;
  if (shape.kind === "options") {
    return shape.options.slice(0, MAX_OPTIONS).flatMap((option) => findScalars(option, steps, root, hops + 1));
  }
  const [step, ...rest] = steps;
  if (shape.kind === "scalar") return step === undefined ? [{ resolved, shape }] : [];
  if (step === undefined) return [];
  if (shape.kind === "array") return findScalars(shape.items, rest, root, hops);
  const inner = shape.properties.find(({ name }) => name === step);
  return inner === undefined ? [] : findScalars(inner.schema, rest, root, hops);
}
