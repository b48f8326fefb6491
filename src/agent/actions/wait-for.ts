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
    text: Type.Optional(Type.String({ ...text, description: "Text that shall appear on the page." })),
    gone: Type.Optional(Type.String({ ...text, description: "Text that shall disappear, such as Loading." })),
    url_contains: Type.Optional(Type.String({ ...text, description: "What the address shall contain." })),
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
  description:
    "Waits until a text appears or disappears, or until the address contains something; with several, until all are so. " +
    "Use it for pages that take their time. Loading after an action is waited for anyway.",
  input,
  effect: "read",
  deadlineMs: (MAX_SECONDS + 5) * 1000,
  async run({ timeout_seconds = DEFAULT_SECONDS, ...wishes }, { session, signal }) {
    if (Object.values(wishes).every((wish) => wish === undefined)) {
      throw new ActionFailed("invalid_input", 'wait_for: give "text", "gone" or "url_contains".');
    }
    const deadline = performance.now() + timeout_seconds * 1000;
    for (;;) {
      const open = listUnmetConditions(wishes, await session.observe(signal));
      if (open.length === 0 || session.dialog !== null) return null;
      if (performance.now() > deadline) {
        throw new ActionFailed("timeout", `After ${timeout_seconds} s ${open.join(", and ")}.`);
      }
      await sleep(PAUSE_MS, undefined, { signal });
    }
  },
};

function listUnmetConditions({ text, gone, url_contains }: WaitConditions, observation: Observation): string[] {
  const shown = squeeze(`${observation.title} ${textOf(observation.root)} ${valuesOf(observation)}`);
  const open: string[] = [];
  if (text !== undefined && !shown.includes(squeeze(text))) open.push(`${quote(text)} is not on the page`);
  if (gone !== undefined && shown.includes(squeeze(gone))) open.push(`${quote(gone)} is still on the page`);
  if (url_contains !== undefined && !observation.url.includes(url_contains)) {
    open.push(`the address does not contain ${quote(url_contains)}`);
  }
  return open;
}

/** Where markup breaks a text up, spaces come and go: "5 %" and "5%" are the same. */
function squeeze(text: string): string {
  return toPlain(text).replaceAll(" ", "");
}

function valuesOf({ root }: Observation): string {
  return [...walk(root)].map(({ node }) => node.value ?? "").join(" ");
}
