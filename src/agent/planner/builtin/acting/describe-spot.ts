import type { Scene, Spot } from "../matching/scene.ts";
import { ancestorsOf } from "../matching/scene.ts";

const MAX_LENGTH = 60;

/** A thing on the page for people to read: its role, its name and, where that says little, what is around it. */
export function describeSpot({ node }: Spot): string {
  const name = node.name === "" ? (node.field?.placeholder ?? node.field?.key ?? "") : node.name;
  const role = node.role === "generic" ? "element" : node.role;
  return name === "" ? `a ${role} without a name` : `the ${role} "${shorten(name)}"`;
}

/** Enough of the surroundings that two things of one name can be told apart. */
export function describeInPlace(spot: Spot, scene: Scene): string {
  const own = scene.textAt(spot);
  const around = [...ancestorsOf(spot)].find((ancestor) => scene.textAt(ancestor).length > own.length + 3);
  const text = around === undefined ? "" : scene.textAt(around).replace(own, "").trim();
  return text === "" ? describeSpot(spot) : `${describeSpot(spot)} (beside "${shorten(text)}")`;
}

export function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}
