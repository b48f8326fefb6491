import { readRecordSets } from "../../../extraction/read-record-sets.ts";
import type { Row } from "../../../extraction/record-set.ts";
import { isField } from "../matching/roles.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import { similarity } from "../matching/words.ts";
import type { Hand } from "./hand.ts";

/** "the value of Color": what stands beside that label on the page. Stops unless there is exactly one such value. */
export function readFromPage(described: string, hand: Hand): string {
  if (described === "") return readOnlyText(hand);
  const sets = readRecordSets(hand.observation.root, hand.observation.url);
  const values = new Map<string, number>();
  for (const row of sets.flatMap(({ rows }) => rows)) noteRow(row, described, values);
  const best = Math.max(0, ...values.values());
  const found = [...values].filter(([, score]) => score === best).map(([text]) => text);
  const [only] = found;
  if (best < 0.8 || only === undefined)
    throw hand.stop("NOT_FOUND", `No value of "${described}" was found on the page.`);
  if (found.length > 1)
    throw hand.stop("AMBIGUOUS", `There are several values of "${described}": ${found.slice(0, 4).join(", ")}.`);
  return only;
}

/** By the name of a column, or by the first of two cells, which is a label in all but form. */
function noteRow(row: Row, described: string, values: Map<string, number>): void {
  for (const [column, cell] of row.cells) {
    if (cell.ref === null) note(similarity(column, described), cell.text, values);
  }
  const [label, value, ...more] = [...row.cells.values()];
  if (label !== undefined && value !== undefined && more.length === 0 && value.ref === null) {
    note(similarity(label.text, described), value.text, values);
  }
}

function note(score: number, text: string, values: Map<string, number>): void {
  if (text !== "" && score > (values.get(text) ?? 0)) values.set(text, score);
}

/** "the text below": the only text of the page that is no part of a form. Single letters belong to one word. */
function readOnlyText(hand: Hand): string {
  const { spots } = hand.scene;
  const isPlain = (spot: Spot) =>
    spot.node.role === "text" && ![...ancestorsOf(spot)].some(({ node }) => node.ref !== null);
  const isForm = (spot: Spot) => spots.some((other) => isInside(other, spot) && isField(other.node));
  const blocks = spots.filter(
    (spot) => spot.node.ref === null && !isForm(spot) && spots.some((other) => isInside(other, spot) && isPlain(other)),
  );
  const outer = blocks.filter((spot) => spot.parent === null || !blocks.includes(spot.parent));
  const [only] = outer;
  if (only === undefined || outer.length > 1)
    throw hand.stop("AMBIGUOUS", "The page has no single text that could be meant.");
  const texts = spots.filter((spot) => isInside(spot, only) && isPlain(spot)).map(({ node }) => node.name);
  return texts.join(texts.every((text) => text.length === 1) ? "" : " ");
}
