import { type Step, type Target, toTarget } from "../step.ts";

/** "In the table Orders, …" and "In the section Address, …". */
export function addScope(step: Step, scope: string): Step | null {
  if ("read" in step) return step.read.row === undefined ? null : { read: { ...step.read, list: scope } };
  if ("collect" in step) {
    // Of "open orders", "open" is a value of the rows.
    const words = (step.collect.list ?? "").split(" ").slice(0, -1);
    return { collect: { ...step.collect, list: [...words, scope].join(" ") } };
  }
  const place = (target: string | Target): Target => ({ within: { section: scope }, ...toTarget(target) });
  const [[kind = "", value] = []] = Object.entries(step) as [string, unknown][];
  if (ON_TARGETS.has(kind)) return { [kind]: place(value as Target) } as Step;
  const { target, ...rest } = (typeof value === "object" ? value : {}) as { target?: string | Target };
  return target === undefined ? null : ({ [kind]: { ...rest, target: place(target) } } as Step);
}

/** Kinds of steps that hold a target and nothing else. */
const ON_TARGETS = new Set(["click", "double_click", "open", "check", "uncheck", "hover"]);

/** The element of a step that has nothing else. */
export function targetOf(step: Step): Target | null {
  const [[kind = "", value] = []] = Object.entries(step) as [string, unknown][];
  return ON_TARGETS.has(kind) ? toTarget(value as string | Target) : null;
}

/** "open it": what for_each does anyway. */
export function isOpenIt(step: Step): boolean {
  const target = "open" in step ? step.open : "click" in step ? step.click : null;
  return (
    target !== null &&
    typeof target !== "string" &&
    /^(?:it|each|each one|them|each of them)$/i.test(target.name ?? "") &&
    target.role === undefined
  );
}
