import { takeOrdinal } from "../english/ordinals.ts";
import { keepInRecord } from "./numbered-record.ts";
import { ancestorsOf, isInside, type Scene, type Spot } from "./scene.ts";
import { containsPhrase } from "./words.ts";

/** Parts of a page that are known by what they are, and not by what they say. */
const PLACE_ROLES: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
  [/^(?:dialog(?:ue)?|pop-?up|modal|alert)(?: (?:box|window))?$/i, new Set(["dialog", "alertdialog"])],
  [/^(?:page )?header$|^top (?:bar|of the page)$/i, new Set(["banner"])],
  [/^(?:page )?footer$|^bottom of the page$/i, new Set(["contentinfo"])],
  [
    /^(?:main |top |site )?(?:navigation|nav)(?: ?bar| menu)?$|^main menu$/i,
    new Set(["navigation", "menubar", "menu"]),
  ],
  [/^menu$/i, new Set(["menu", "menubar", "navigation", "listbox"])],
  [/^side ?bar$/i, new Set(["complementary"])],
  [/^(?:main (?:part|content|area)|content)$/i, new Set(["main"])],
  [/^form$/i, new Set(["form"])],
  [/^table$/i, new Set(["table", "grid", "treegrid"])],
  [/^(?:list|results|search results)$/i, new Set(["list", "listbox", "main", "feed"])],
];

const CONTAINER_WORDS =
  /^(?:the\s+)?(?:(?:section|row|card|panel|box|list|table|form|menu|group|column|area|part|dialog|post|product|item|entry|email|message|user|person|order|contact)\s+(?:of|for|by|from|with|named|called|labell?ed|titled|about)?\s*)|\s+(?:section|row|card|panel|box|list|table|form|menu|group|column|area|part|dialog|tab|block|heading|product|item|entry|post)$/gi;

/**
 * Keeps the spots that stand in, under or beside what was named: those whose nearest surroundings that say it are not the
 * surroundings of a better one as well.
 */
export function keepInPlace(spots: readonly Spot[], place: string, scene: Scene): Spot[] {
  const roles = PLACE_ROLES.find(([words]) => words.test(place.trim()))?.[1];
  const byRole =
    roles === undefined ? [] : spots.filter((spot) => [...ancestorsOf(spot)].some(({ node }) => roles.has(node.role)));
  if (byRole.length > 0) return byRole;
  const ordinal = takeOrdinal(place.trim());
  if (ordinal !== null) return keepInRecord(spots, ordinal.ordinal, ordinal.rest, scene);
  const phrases = [place, place.replace(CONTAINER_WORDS, " ").trim()];
  for (const phrase of phrases) {
    const kept = phrase === "" ? [] : keepAroundPhrase(spots, phrase, scene);
    if (kept.length > 0) return kept;
  }
  return [];
}

interface Placed {
  readonly spot: Spot;
  readonly around: Spot;
}

function keepAroundPhrase(spots: readonly Spot[], phrase: string, scene: Scene): Spot[] {
  const placed = spots.flatMap((spot): Placed[] => {
    const around = [...ancestorsOf(spot)].find((ancestor) => containsPhrase(scene.textAt(ancestor), phrase));
    return around === undefined ? [] : [{ spot, around }];
  });
  const tight = placed.filter(
    ({ around }) => !placed.some((other) => other.around !== around && isInside(other.around, around)),
  );
  const [first] = tight;
  if (first === undefined || tight.some(({ around }) => around !== first.around)) return tight.map(({ spot }) => spot);
  return keepNearestBehind(tight, first.around, phrase, scene);
}

/** In a flat run of headings and controls, a control belongs to the words before it. */
function keepNearestBehind(placed: readonly Placed[], around: Spot, phrase: string, scene: Scene): Spot[] {
  if (placed.length < 2) return placed.map(({ spot }) => spot);
  const words = scene.spots.filter(
    (spot) => isInside(spot, around) && spot.node.children.length === 0 && containsPhrase(spot.node.name, phrase),
  );
  const anchor = words.length === 1 ? words[0] : undefined;
  if (anchor === undefined) return placed.map(({ spot }) => spot);
  const behind = placed.filter(({ spot }) => spot.index > anchor.index);
  const nearest = behind.reduce<Placed | null>(
    (best, one) => (best === null || one.spot.index < best.spot.index ? one : best),
    null,
  );
  return nearest === null ? placed.map(({ spot }) => spot) : [nearest.spot];
}
