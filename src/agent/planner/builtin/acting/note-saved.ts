import { isWrite } from "../../../../browser/session/network-record.ts";
import type { ActionReport } from "../../../actions/action.ts";
import type { Scene } from "../matching/scene.ts";
import { containsPhrase } from "../matching/words.ts";
import { shorten } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

const SAVING = /^(?:save|update|apply|change|edit|store|rename)\b/i;
const MIN_VALUE_LENGTH = 2;

/**
 * After a button that saves: what was typed should now be there for anybody who looks. A field that the page shows again
 * with the value counts as saved; a value that has come to stand in the text of the next page is claimed as text.
 */
export function noteSaved(button: string, before: Scene, report: ActionReport, hand: Hand): void {
  if (!SAVING.test(button) || !report.events.requests.some((request) => isWrite(request))) return;
  const { scene, observation, conditions } = hand;
  const [textBefore, textAfter] = [before, scene].map(({ spots }) =>
    spots.map(({ node }) => (node.field === null && node.role === "text" ? node.name : "")).join(" \n "),
  );
  for (const [index, condition] of conditions.entries()) {
    if (condition.kind !== "field" || condition.isSaved) continue;
    const { label, value, about } = condition;
    const field = scene.spots.find(
      ({ node }) => (node.name || node.field?.placeholder) === label && node.value === value,
    );
    if (field !== undefined) {
      conditions[index] = { ...condition, url: observation.url, isSaved: true, about: `${about}, and is saved` };
    } else if (
      value.length >= MIN_VALUE_LENGTH &&
      containsPhrase(textAfter ?? "", value) &&
      !containsPhrase(textBefore ?? "", value)
    ) {
      conditions.push({
        kind: "text",
        url: observation.url,
        text: value,
        about: `After saving, the page shows "${shorten(value)}"`,
      });
    }
  }
}
