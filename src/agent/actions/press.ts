import { Type } from "typebox";
import type { Observation } from "../../browser/observation/observation.ts";
import { walk } from "../../browser/observation/tree.ts";
import type { BrowserSession, PinnedElement } from "../../browser/session/browser-session.ts";
import { type Action, ActionFailed } from "./action.ts";
import { demandSubmission } from "./blocked-submission.ts";
import { optionalElementInput } from "./element-input.ts";
import { toKeys } from "./keys.ts";
import { quote } from "./plain-text.ts";
import { isFromBrowser } from "./playwright-error.ts";

const input = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 60,
      description: "One key or a chord: Enter, Escape, Tab, ArrowDown, PageDown, a, Control+A, Shift+Tab.",
    }),
    ...optionalElementInput,
  },
  { additionalProperties: false },
);

export const press: Action<typeof input> = {
  name: "press",
  description:
    "Presses a key, in the element given by ref or else where the focus is. Use it to submit with Enter, to close with " +
    "Escape, to move with arrows. To enter text use fill. The report shows requests and what changed.",
  input,
  effect: "mutate",
  async run({ key }, { session, observation, element, signal }) {
    const keys = toKeys(key);
    if (element !== null) await focus(element);
    signal.throwIfAborted();
    const pressIt = () => pressKeys(keys, key, session);
    const sender = keys === "Enter" ? (element ?? (await pinFocused(observation, session))) : null;
    await (sender === null ? pressIt() : demandSubmission(sender.handle, pressIt));
    return null;
  },
};

/** Without a ref Enter goes to the field that has the focus, and may send its form all the same. */
async function pinFocused({ root }: Observation, session: BrowserSession): Promise<PinnedElement | null> {
  const focused = walk(root).find(({ node }) => node.states.active === true && node.field !== null)?.node;
  return focused === undefined || focused.ref === null ? null : await session.pin(focused.ref);
}

async function pressKeys(keys: string, said: string, session: BrowserSession): Promise<void> {
  try {
    await session.press(keys);
  } catch (error) {
    if (isFromBrowser(error) && /Unknown key/.test(error.message)) throw unknownKey(said);
    throw error;
  }
}

async function focus({ handle, role, name }: PinnedElement): Promise<void> {
  await handle.focus();
  const hasFocus = await handle.evaluate((node) => {
    const root = node.getRootNode() as Document | ShadowRoot;
    return root.activeElement === node || node.contains(root.activeElement);
  });
  if (!hasFocus) {
    throw new ActionFailed("no_effect", `The ${role} ${quote(name)} does not take the focus. Click it instead.`);
  }
}

function unknownKey(key: string): ActionFailed {
  return new ActionFailed(
    "invalid_input",
    `press: there is no key ${quote(key)}. Keys are named like Enter or Control+A.`,
  );
}
