import type { Scene, Spot } from "../matching/scene.ts";
import { ancestorsOf } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

/** Declining comes first: nobody asked us to agree to anything. */
const WAYS_OUT: readonly RegExp[] = [
  /^(?:reject|decline|refuse|deny)\b|^(?:only )?(?:necessary|essential)\b|^no thanks?$|^not now$|^maybe later$/,
  /^(?:close|dismiss|x|got it|skip|cancel|hide)\b/,
  /^(?:accept|agree|allow|ok|okay|i agree|understood|continue)\b/,
];
const BANNER = /\bcookies?\b|\bconsent\b|\bprivacy\b|\bnewsletter\b|\bsubscribe\b|\bnotifications?\b/i;

/** Puts away a cookie banner or an advertisement that lies over the page. False when there is none to be recognised. */
export function* clearTheWay(hand: Hand, before: Scene | null = null): Course<boolean> {
  const spot = findWayOut(hand, before);
  const ref = spot?.node.ref ?? null;
  if (spot === null || ref === null) return false;
  const report = yield* hand.act(
    [{ action: "click", input: { ref, label: spot.node.name } }],
    `Put away what covers the page with ${describeSpot(spot)}.`,
  );
  return report.failure === null;
}

function findWayOut({ scene }: Hand, before: Scene | null): Spot | null {
  const known = new Set(before?.spots.map(({ node }) => node.ref));
  const buttons = scene.spots.filter(
    (spot) =>
      /^(?:button|link)$/.test(spot.node.role) &&
      (isInBanner(spot, scene) || (before !== null && !known.has(spot.node.ref))),
  );
  for (const way of WAYS_OUT) {
    const spot = buttons.find(({ node }) => way.test(simplify(node.name) || node.name.replace(/[×✕✖]/, "x")));
    if (spot !== undefined) return spot;
  }
  return null;
}

function isInBanner(spot: Spot, scene: Scene): boolean {
  const around = [...ancestorsOf(spot)].find(
    ({ node, size }) => size <= 60 && (/dialog|region|complementary/.test(node.role) || BANNER.test(node.name)),
  );
  return around !== undefined && (BANNER.test(scene.textAt(around)) || /dialog/.test(around.node.role));
}
