import { isTextField } from "../matching/roles.ts";
import type { Spot } from "../matching/scene.ts";
import { type Target, targetOf } from "../reading/target.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { locateIfThere } from "./locate.ts";
import { click, pressSpot } from "./press-it.ts";
import { putInto } from "./set-field.ts";
import { submitForm } from "./submit-form.ts";
import { suitsClick, suitsTyping } from "./suits.ts";

const USER: Target = {
  said: "the user name",
  readings: ["Email", "Email address", "User name", "Username or email", "Login", "Account"].map((label) => ({
    label,
    isQuoted: false,
    kind: null,
    ordinal: null,
    within: null,
  })),
};
const BUTTON = /^(?:sign ?in|log ?in|log ?on|continue|submit|next)$/i;

/** Fills in the sign-in form, on one page or on two, after opening it where only a link leads there. */
export function* signIn(user: string, password: string, hand: Hand): Course {
  if (findPassword(hand) === null && findUser(hand) === null) yield* click(targetOf("Sign in"), false, hand);
  const field = findUser(hand) ?? (yield* locateIfThere(USER, { suits: suitsTyping, effort: "look" }, hand));
  if (field === null) throw hand.stop("NOT_FOUND", "There is no field for the user name on the page.");
  yield* putInto(field, user, () => findUser(hand), hand);
  if (findPassword(hand) === null) yield* submitForm(hand, BUTTON);
  const secret = findPassword(hand);
  if (secret === null) throw hand.stop("NOT_FOUND", "There is no field for the password on the page.");
  yield* putInto(secret, password, () => findPassword(hand), hand);
  yield* submitForm(hand, BUTTON);
  if (findPassword(hand) !== null) throw hand.stop("SIGN_IN_FAILED", "The site still shows its sign-in form.");
}

export function* signOut(hand: Hand): Course {
  const spot = yield* locateIfThere(targetOf("Sign out"), { suits: suitsClick, effort: "open" }, hand);
  if (spot === null) throw hand.stop("NOT_FOUND", "There is nothing on the page to sign out with.");
  yield* pressSpot(spot, () => null, hand);
}

function findPassword({ scene }: Hand): Spot | null {
  return scene.spots.find(({ node }) => node.field?.type === "password" && node.ref !== null) ?? null;
}

/** The text field before the password; else the only one that asks for a name or an address. */
function findUser(hand: Hand): Spot | null {
  const fields = hand.scene.spots.filter(
    ({ node }) =>
      node.ref !== null &&
      isTextField(node) &&
      node.field?.type !== "password" &&
      node.field?.type !== "search" &&
      node.role !== "searchbox",
  );
  const password = findPassword(hand);
  if (password !== null) return fields.findLast(({ index }) => index < password.index) ?? null;
  return (
    fields.find(
      ({ node }) => /^(?:email|username)$/.test(node.field?.autocomplete ?? "") || node.field?.type === "email",
    ) ?? null
  );
}
