import { type Form, isAddress, type ListSlot, type ObjectSlot, type ValueSlot } from "./form.ts";

const MAX_NAME = 80;
const MAX_DESCRIPTION = 240;
const MAX_VALUES = 20;
const MAX_CHARACTERS = 16_000;

/** What is still to be found out, for the model. All of it are the caller's words and ours. */
export function describeForm(form: Form): string {
  return cutLines(linesOf(form));
}

function linesOf({ values, lists, objects }: Form): string[] {
  return [
    ...(values.length > 0 ? ["Values to find:", ...values.map((slot) => describeSlot(slot))] : []),
    ...(objects.length > 0 && values.length > 1 ? ["Objects that these values belong to:"] : []),
    ...(values.length > 1 ? objects.map(describeObject) : []),
    ...lists.flatMap(describeList),
  ];
}

/** A schema may say more than a model should be sent; what is cut is not found, and missed where it is required. */
function cutLines(lines: readonly string[]): string {
  const kept: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.join("\n");
}

function describeObject({ id, path, slots }: ObjectSlot): string {
  return `  ${id}: ${path.length === 0 ? "the whole answer" : nameOf(path)}, made of ${slots.map((slot) => slot.id).join(", ")}`;
}

function describeList({ id, path, description, slots, maxItems }: ListSlot): string[] {
  const most = maxItems === null ? "" : `, ${maxItems} at most`;
  return [
    `List ${id}: ${path.length === 0 ? "the whole answer" : nameOf(path)}${most}${describeIn(description)}. Each item has:`,
    ...slots.map((slot) => `  ${describeSlot(slot)}`),
  ];
}

function describeSlot(slot: ValueSlot): string {
  const { id, path, description, isRequired, isMany } = slot;
  const name = path.length === 0 ? "the item itself" : nameOf(path);
  const many = isMany ? "several of: " : "";
  return `  ${id}: ${name} (${many}${describeType(slot)}${isRequired ? "" : ", may be missing"})${describeIn(description)}`;
}

function describeType(slot: ValueSlot): string {
  const { types, format, values } = slot.shape;
  if (isAddress(slot)) return "address: give the ref of its link";
  if (values !== null) {
    const shown = values.slice(0, MAX_VALUES).map((value) => cut(JSON.stringify(value) ?? "", MAX_NAME));
    return `one of ${shown.join(", ")}`;
  }
  const type = types.length === 0 ? "anything" : types.join(" or ");
  return format === null ? type : `${type}, ${cut(format, 20)}`;
}

function describeIn(description: string): string {
  return description === "" ? "" : `: ${JSON.stringify(cut(description, MAX_DESCRIPTION))}`;
}

function nameOf(path: readonly string[]): string {
  return cut(path.join("."), MAX_NAME);
}

function cut(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}
