import type { Page } from "playwright-core";
import { isControlRole, type Observation } from "../../src/browser/observation/observation.ts";
import type { PinnedElement } from "../../src/browser/observation/pin-element.ts";
import { nodesOf } from "./observed-page.ts";

interface SnapshotNode {
  readonly role: string;
  readonly name?: string;
  readonly text?: string;
  readonly ref?: string;
  readonly children?: readonly (SnapshotNode | string)[];
}

interface Observed {
  readonly page: Page;
  readonly observation: Observation;
  readonly pin: (ref: string) => Promise<PinnedElement>;
}

/**
 * The controls of Playwright's own snapshot that an observation lacks, or has with another role, name or value. One line
 * for each.
 */
export async function findDifferences({ page, observation, pin }: Observed): Promise<string[]> {
  const nodes = nodesOf(observation).filter(({ ref }) => ref !== null);
  for (const { ref } of nodes) {
    const { handle } = await pin(ref ?? "");
    await handle.evaluate((element, own) => element.setAttribute("data-observed", own), ref ?? "");
  }
  const byRef = new Map(nodes.map((node) => [node.ref, node]));
  const snapshot = (await page.ariaSnapshotJSON({ mode: "ai" })) as (SnapshotNode | string)[];
  const differences: string[] = [];
  for (const theirs of controlsIn(snapshot)) {
    const element = page.getByRef(theirs.ref ?? "");
    const ours = byRef.get(await element.getAttribute("data-observed"));
    const name = nameOf(theirs);
    if (ours === undefined) differences.push(`${theirs.role} "${name}" is missing`);
    else if (!isSame(theirs.role, ours.role)) differences.push(`${theirs.role} "${name}" is ${ours.role}`);
    else if (name !== "" && fold(name) !== fold(ours.name))
      differences.push(`${theirs.role} "${name}" is called "${ours.name}"`);
    const value = await element.evaluate((one) => (one as HTMLInputElement).value ?? null);
    if (ours?.role === "textbox" && ours.field?.type !== "contenteditable" && ours.value !== value)
      differences.push(`${theirs.role} "${name}" has the value "${ours.value}" instead of "${value}"`);
  }
  return differences;
}

function controlsIn(nodes: readonly (SnapshotNode | string)[]): SnapshotNode[] {
  return nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    const isCompared = isControlRole(node.role) && node.role !== "option" && node.ref !== undefined;
    return [...(isCompared ? [node] : []), ...controlsIn(node.children ?? [])];
  });
}

/** Playwright leaves a name out that its content repeats. */
function nameOf(node: SnapshotNode | string): string {
  if (typeof node === "string") return node;
  const isField = /^(textbox|searchbox|spinbutton|slider|combobox)$/.test(node.role);
  if (node.name !== undefined || isField) return node.name ?? "";
  return node.text ?? (node.children ?? []).map(nameOf).join(" ");
}

/** A list that is drawn in place of a native one may be any kind of field to Playwright. */
function isSame(theirs: string, ours: string): boolean {
  return theirs === ours || ours === "combobox";
}

function fold(name: string): string {
  return name.replace(/[\s\p{Co}]+/gu, "").toLowerCase();
}
