import { setTimeout as sleep } from "node:timers/promises";
import { type Static, Type } from "typebox";
import { type Observation, textOf, walk } from "../../browser/observation/observation.ts";
import { type Action, ActionFailed } from "./action.ts";
import { quote, toPlain } from "./plain-text.ts";

const PAUSE_MS = 100;
const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 30;

const text = { minLength: 1, maxLength: 500 };

const input = Type.Object(
  {
    text: Type.Optional(Type.String({ ...text, description: "Text that should appear on the page." })),
    gone: Type.Optional(Type.String({ ...text, description: "Text that should disappear, such as Loading." })),
    url_contains: Type.Optional(Type.String({ ...text, description: "Text that should be in the URL." })),
    timeout_seconds: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: MAX_SECONDS,
        description: `Default ${DEFAULT_SECONDS}, at most ${MAX_SECONDS}.`,
      }),
    ),
  },
  { additionalProperties: false },
);

type WaitConditions = Pick<Static<typeof input>, "text" | "gone" | "url_contains">;

export const waitFor: Action<typeof input> = {
  name: "wait_for",
  description: "text to appear or gone to disappear",
  input,
  effect: "read",
  deadlineMs: (MAX_SECONDS + 5) * 1000,
  async run({ timeout_seconds = DEFAULT_SECONDS, ...conditions }, { session, signal }) {
    if (Object.values(conditions).every((condition) => condition === undefined)) {
      throw new ActionFailed("invalid_input", 'wait_for: give "text", "gone" or "url_contains".');
    }
    const deadline = performance.now() + timeout_seconds * 1000;
    for (;;) {
      const unmet = listUnmetConditions(conditions, await session.observe(signal));
      if (unmet.length === 0 || session.dialog !== null) return null;
      if (performance.now() > deadline) {
        throw new ActionFailed("timeout", `After ${timeout_seconds} s ${unmet.join(", and ")}.`);
      }
      await sleep(PAUSE_MS, undefined, { signal });
    }
  },
};

function listUnmetConditions({ text, gone, url_contains }: WaitConditions, observation: Observation): string[] {
  const shown = withoutSpaces(`${observation.title} ${textOf(observation.root)} ${valuesOf(observation)}`);
  const unmet: string[] = [];
  if (text !== undefined && !shown.includes(withoutSpaces(text))) unmet.push(`${quote(text)} is not on the page`);
  if (gone !== undefined && shown.includes(withoutSpaces(gone))) unmet.push(`${quote(gone)} is still on the page`);
  if (url_contains !== undefined && !observation.url.includes(url_contains)) {
    unmet.push(`the URL does not contain ${quote(url_contains)}`);
  }
  return unmet;
}

/** Markup inside a text adds and removes spaces: "5 %" and "5%" are the same. */
function withoutSpaces(text: string): string {
  return toPlain(text).replaceAll(" ", "");
}

function valuesOf({ root }: Observation): string {
  return [...walk(root)].map(({ node }) => node.value ?? "").join(" ");
}
