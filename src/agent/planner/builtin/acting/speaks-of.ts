import { nounOf } from "../../../extraction/questions/choose-list.ts";
import type { Question } from "../../../extraction/questions/question.ts";
import { isTextField } from "../matching/roles.ts";
import { stem, toWords } from "../matching/words.ts";
import type { Hand } from "./hand.ts";

/** Words for the entries of any list. */
const ANY_ENTRY =
  /^(?:|(?:search )?results?|items?|products?|articles?|rows?|entr(?:y|ies)|records?|ones?|things?|options?|elements?|lines?|listings?|offers?|cards?|posts?|links?|hits?|matches|table rows?)$/i;

/**
 * Whether the page is about what the question counts or compares. "The cheapest lamp" has no answer on a page with a list
 * of other things, however well the list is made.
 */
export function speaksOf(question: Question, answerText: string, { scene, observation }: Hand): boolean {
  const noun = nounOf(question);
  if (noun === null || ANY_ENTRY.test(noun)) return true;
  const said = scene.spots
    .filter(
      ({ node }) =>
        /^(?:heading|columnheader|caption|table|list|region|tab|tabpanel)$/.test(node.role) || isTextField(node),
    )
    .map(({ node }) => `${node.name} ${isTextField(node) ? (node.value ?? "") : ""}`);
  const address = decodeURIComponent(observation.url.replace(/^https?:\/\/[^/]+/, "").replace(/%(?![\da-f]{2})/gi, ""));
  const words = new Set(toWords([observation.title, address, answerText, ...said].join(" ")).map(stem));
  return toWords(noun)
    .map(stem)
    .every((word) => words.has(word));
}

const OWN_PLACE =
  /\b(?:in|from|of) (?:the |my |your )?(?:shopping )?(cart|basket|bag|trolley|wish ?list|inbox|outbox|order history)\W*$/i;

/** "in my cart" is answered by the cart alone: by a page whose title, address or main heading says that it is one. */
export function isAtPlace(said: string, { scene, observation }: Hand): boolean {
  const place = OWN_PLACE.exec(said)?.[1];
  if (place === undefined) return true;
  const names = /^(?:cart|basket|bag|trolley)$/i.test(place) ? ["cart", "basket", "bag", "trolley"] : [place];
  const heading = scene.spots.find(({ node }) => node.role === "heading" && (node.states.level ?? 1) === 1);
  const { pathname = "" } = URL.parse(observation.url) ?? {};
  const words = new Set(toWords(`${observation.title} ${heading?.node.name ?? ""} ${pathname}`).map(stem));
  return names.some((name) => toWords(name).every((word) => words.has(stem(word))));
}
