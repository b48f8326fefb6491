import { Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { Scrolled } from "../../browser/session/browser-session.ts";
import { type Action, ActionFailed, optionalElementInput } from "./action.ts";
import { quote } from "./plain-text.ts";

/** What was visible at the end of one screen is still visible at the start of the next. */
const SHARE_OF_SCREEN = 0.8;

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
  description: "the page or the list around ref",
  input,
  effect: "local",
  async run({ direction, screens = 1 }, { session, element }) {
    if (direction === undefined && element === null) {
      throw new ActionFailed("invalid_input", 'scroll: give a "direction" or a "ref".');
    }
    const distance = screens * SHARE_OF_SCREEN * (direction === "up" ? -1 : 1);
    if (element === null) return describe(await session.scrollBy(distance), distance);
    if (direction !== undefined) return describe(await scrollPane(element, distance), distance);
    await element.handle.evaluate(bringIntoView);
    return null;
  },
};

/** In our own words. Null when nothing moved: then the page did not change. */
function describe(scrolled: Scrolled | null, distance: number): string | null {
  if (scrolled === null) return null;
  const what = scrolled.what === "page" ? "The page" : "A list or pane of the page";
  const [way, end] = distance > 0 ? ["down", "end"] : ["up", "top"];
  return `${what} was scrolled ${way}. ${scrolled.goesOn ? `It goes on further ${way}.` : `This is its ${end}.`}`;
}

function bringIntoView(node: Element): void {
  node.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
}

async function scrollPane({ handle, role, name }: PinnedElement, distance: number): Promise<Scrolled> {
  const scrolled = await handle.evaluate((node, share): Scrolled | null => {
    for (let at: Element | null = node; at !== null; at = at.parentElement) {
      const before = at.scrollTop;
      at.scrollBy({ top: at.clientHeight * share, behavior: "instant" });
      if (at.scrollTop === before) continue;
      const left = share > 0 ? at.scrollHeight - at.clientHeight - at.scrollTop : at.scrollTop;
      return { what: at === document.scrollingElement ? "page" : "area", goesOn: left > 1 };
    }
    return null;
  }, distance);
  if (scrolled === null) {
    throw new ActionFailed("no_effect", `Nothing around the ${role} ${quote(name)} scrolls any further.`);
  }
  return scrolled;
}
