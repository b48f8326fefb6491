import { Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type Action, ActionFailed, optionalElementInput } from "./action.ts";
import { quote } from "./plain-text.ts";

const SHARE_OF_VIEWPORT = 0.8;

const input = Type.Object(
  {
    direction: Type.Optional(Type.Enum(["down", "up"], { description: "Required unless a ref is given." })),
    screens: Type.Optional(Type.Number({ minimum: 0.1, maximum: 20, description: "How far. Default 1." })),
    ...optionalElementInput,
  },
  { additionalProperties: false },
);

export const scroll: Action<typeof input> = {
  name: "scroll",
  description:
    "Scrolls the page up or down; with only a ref, brings that element into view; with a ref and a direction, scrolls " +
    "the list or pane that contains the element. Use it to make lists load more; content further down the page is " +
    "observed without scrolling. The report shows lines that appeared.",
  input,
  effect: "local",
  async run({ direction, screens = 1 }, { session, observation, element }) {
    if (direction === undefined && element === null) {
      throw new ActionFailed("invalid_input", 'scroll: give a "direction" or a "ref".');
    }
    const factor = screens * SHARE_OF_VIEWPORT * (direction === "up" ? -1 : 1);
    if (element === null) await session.scrollBy(Math.round(observation.viewport.height * factor));
    else if (direction === undefined) await element.handle.evaluate(bringIntoView);
    else await scrollPane(element, factor);
    return null;
  },
};

function bringIntoView(node: Element): void {
  node.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
}

async function scrollPane({ handle, role, name }: PinnedElement, factor: number): Promise<void> {
  const hasMoved = await handle.evaluate((node, share) => {
    for (let at: Element | null = node; at !== null; at = at.parentElement) {
      const before = at.scrollTop;
      at.scrollBy({ top: at.clientHeight * share, behavior: "instant" });
      if (at.scrollTop !== before) return true;
    }
    return false;
  }, factor);
  if (!hasMoved) throw new ActionFailed("no_effect", `Nothing around the ${role} ${quote(name)} scrolls any further.`);
}
