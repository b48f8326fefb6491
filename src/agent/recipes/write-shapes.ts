import type { AttributedWrite } from "../actions/side-effects.ts";
import { shapeOf } from "../gate/commit.ts";
import type { Check } from "../verifier/check.ts";

/**
 * What a run sent, by kind and in order. A form counts each time; scripts send the same as often as they like, such as with
 * each key.
 */
export function listShapes(writes: readonly AttributedWrite[]): string[] {
  const own = writes.filter(
    ({ write, cause }) => cause?.effect === "mutate" && write.isFirstParty && (write.status ?? 0) < 400,
  );
  const shapes = own.map(({ write }) => ({ shape: shapeOf(write), isForm: write.isNavigation }));
  return shapes
    .filter(({ shape, isForm }, at) => isForm || shapes.findIndex((other) => other.shape === shape) === at)
    .map(({ shape }) => shape);
}

/** A replay must send what was sent before: no more, no less. */
export function checkWrites(recorded: readonly string[], writes: readonly AttributedWrite[]): Check {
  const sent = listShapes(writes);
  const [more, less] = [subtract(sent, recorded), subtract(recorded, sent)];
  const isSame = more.length + less.length === 0;
  const problems = [
    more.length === 0 ? "" : `It also sent ${more.join(", ")}.`,
    less.length === 0 ? "" : `It did not send ${less.join(", ")}.`,
  ];
  return {
    about: "The run sent what the recipe sends",
    verdict: isSame ? "satisfied" : "contradicted",
    evidence: isSame ? sent.join(", ") || "Nothing was sent." : problems.filter(Boolean).join(" "),
  };
}

function subtract(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
