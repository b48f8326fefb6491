import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { isCheckable, isField } from "./roles.ts";
import { ancestorsOf, isInside, type Label, type Scene, type Spot } from "./scene.ts";

/** What has no words is described by how it looks, with its size at the end: "reply 14×14", "red circle 20×20". */
const LOOK = /^(.+?) \d+×\d+$/;

/** Everything that a person could call it. */
export function labelsOf(spot: Spot, scene: Scene): readonly Label[] {
  const known = scene.labels.get(spot);
  if (known !== undefined) return known;
  const labels = collectLabels(spot, scene);
  scene.labels.set(spot, labels);
  return labels;
}

function collectLabels(spot: Spot, scene: Scene): Label[] {
  const { node } = spot;
  const labels: Label[] = [{ text: node.name, trust: 1 }];
  const look = LOOK.exec(node.name)?.[1];
  if (look !== undefined) labels.push({ text: look, trust: 0.97 }, { text: look.replace(/ color$/, ""), trust: 0.95 });
  const text = scene.textAt(spot);
  if (text !== node.name && text.length <= 300) labels.push({ text, trust: node.name === "" ? 0.99 : 0.9 });
  if (node.field !== null) {
    labels.push({ text: node.field.placeholder ?? "", trust: 0.96 });
    labels.push({ text: fromKey(node.field.key), trust: 0.9 }, { text: fromKey(node.field.autocomplete), trust: 0.85 });
    if (node.field.type === "password") labels.push({ text: "password", trust: 0.9 });
    labels.push({ text: node.field.type, trust: 0.85 });
  }
  if (isButtonWithValue(node)) labels.push({ text: node.value ?? "", trust: 0.95 });
  for (const nearby of nearbyTexts(spot, scene)) labels.push(nearby);
  return labels.filter((label) => label.text.trim() !== "");
}

function isButtonWithValue({ role, value }: ObservedNode): boolean {
  return role === "button" && value !== null;
}

/** "billing_firstName" → "billing first name". */
function fromKey(key: string | null): string {
  if (key === null) return "";
  return key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_\-.[\]]+/g, " ")
    .trim();
}

/** Text that stands beside a field or a nameless control, where sites put labels that they forgot to tie to it. */
function nearbyTexts(spot: Spot, scene: Scene): Label[] {
  const { node } = spot;
  if (node.name !== "" && !isField(node)) return nameBefore(spot, scene, 0.82);
  const trust = node.name === "" ? 0.95 : 0.8;
  const own = isCheckable(node) ? null : textOfItsBox(spot, scene);
  if (own !== null) return [{ text: own, trust }, ...columnHeader(spot, scene)];
  return isCheckable(node)
    ? [...textBehind(spot, scene, trust), ...nameBefore(spot, scene, trust - 0.15)]
    : [...nameBefore(spot, scene, trust), ...textBehind(spot, scene, trust - 0.2), ...columnHeader(spot, scene)];
}

/** The text of the box that holds this field and no other control: before, above or below it, it is the label. */
function textOfItsBox(spot: Spot, scene: Scene): string | null {
  for (const around of ancestorsOf(spot)) {
    const inside = scene.spots
      .slice(around.index, around.index + around.size)
      .filter((other) => !isInside(other, spot));
    if (around.size - spot.size > 8 || inside.some(({ node }) => node.ref !== null && node.role !== "generic"))
      return null;
    const texts = inside
      .filter(({ node }) => node.children.length === 0 && node.name !== "")
      .map(({ node }) => node.name);
    if (texts.length > 0) return texts.length > 2 ? null : texts.join(" ");
  }
  return null;
}

/** The last text before it that no other control lies in between. */
function nameBefore(spot: Spot, scene: Scene, trust: number): Label[] {
  for (let at = spot.index - 1, steps = 0; at >= 0 && steps < 8; at--, steps++) {
    const other = scene.spots[at];
    if (other === undefined) return [];
    if (isInside(spot, other)) continue;
    if (other.node.ref !== null && other.node.role !== "generic") return [];
    if (other.node.name !== "" && other.node.children.length === 0) {
      return sharesPlace(spot, other) ? [{ text: other.node.name, trust }] : [];
    }
  }
  return [];
}

function textBehind(spot: Spot, scene: Scene, trust: number): Label[] {
  const next = scene.spots[spot.index + spot.size];
  const text = next === undefined ? undefined : next.node.children.length === 0 ? next : scene.spots[next.index + 1];
  if (text === undefined || text.node.name === "" || text.node.ref !== null || !sharesPlace(spot, text)) return [];
  return [{ text: text.node.name, trust }];
}

/** Both stand in the same small part of the page. */
function sharesPlace(one: Spot, other: Spot): boolean {
  let climbed = 0;
  for (const around of ancestorsOf(one)) {
    climbed++;
    if (isInside(other, around)) return around.size <= 40 || climbed <= 2;
    if (climbed >= 4) return false;
  }
  return false;
}

/** A field in a table is called after its column. */
function columnHeader(spot: Spot, scene: Scene): Label[] {
  let cell: Spot | null = null;
  for (const around of ancestorsOf(spot)) {
    if (/^(?:cell|gridcell)$/.test(around.node.role)) cell = around;
    if (around.node.role !== "row" || cell === null) continue;
    const column = around.node.children.indexOf(cell.node);
    const table = [...ancestorsOf(around)].find(({ node }) => /^(?:table|grid|treegrid)$/.test(node.role));
    const header =
      table &&
      scene.spots.find(
        (other) =>
          isInside(other, table) &&
          other.node.role === "row" &&
          other.node.children.some(({ role }) => role === "columnheader"),
      );
    const text = header?.node.children[column]?.name;
    return text === undefined || text === "" ? [] : [{ text, trust: 0.85 }];
  }
  return [];
}
