import type { Instruction } from "../instruction.ts";
import { ancestorsOf, type Spot } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { pressSpot } from "./press-it.ts";
import { turnPage } from "./records.ts";

type Which = Extract<Instruction, { kind: "page" }>["which"];

const NAMES: Readonly<Record<string, RegExp>> = {
  next: /^(?:next(?: page)?|›|»|→|>|older(?: posts)?)\s*[›»→>]?$/i,
  previous: /^[‹«←<]?\s*(?:prev(?:ious)?(?: page)?|‹|«|←|<|newer(?: posts)?)$/i,
  first: /^(?:first(?: page)?|«|<<|⏮)$/i,
  last: /^(?:last(?: page)?|»|>>|⏭)$/i,
};

/** "go to the next page", "open page 3". */
export function* goToPage(which: Which, hand: Hand): Course {
  if (which === "next" && (yield* turnPage(hand))) {
    hand.note("Went to the next page of the list");
    return;
  }
  const spot = findPageLink(which, hand);
  if (spot === null)
    throw hand.stop(
      "NOT_FOUND",
      `There is no ${typeof which === "number" ? `page ${which}` : `${which} page`} to go to.`,
    );
  yield* pressSpot(spot, () => findPageLink(which, hand), hand);
}

function findPageLink(which: Which, { scene }: Hand): Spot | null {
  const pattern = typeof which === "number" ? new RegExp(`^(?:go to )?(?:page )?${which}$`, "i") : NAMES[which];
  const links = scene.spots.filter(({ node }) => node.ref !== null && pattern?.test(node.name.trim()));
  const inPager = links.filter((spot) =>
    [...ancestorsOf(spot)].some(({ node }) => node.role === "navigation" || node.role === "list"),
  );
  return (inPager.length > 0 ? inPager : links)[0] ?? null;
}
