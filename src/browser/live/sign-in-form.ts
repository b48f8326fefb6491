import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle, Frame, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { type FoundFields, findFields, type InputFacts, NO_FIELDS, type SignInField } from "./sign-in-fields.ts";

/** What to enter. Null: not to be entered (again). */
interface SignInValues {
  readonly userName: string | null;
  readonly password: string | null;
  readonly code: (() => Promise<string>) | null;
}

export interface SignInEntry {
  readonly values: SignInValues;
  /** Whether something may be entered on a page with this URL. */
  readonly mayEnter: (url: string) => boolean;
  /** Whether the page with this URL belongs to a sign-in. */
  readonly isSignInPage: (url: string) => boolean;
  /** Whether a button with this label submits a step of a sign-in. */
  readonly isSubmitLabel: (label: string) => boolean;
}

export interface EnteredForm {
  /** What the page asks for; empty when it shows no sign-in form. */
  readonly asked: readonly SignInField[];
  /** Whether it was entered and sent. False when a value was not given, or when the page is not allowed. */
  readonly isSent: boolean;
  readonly isAllowed: boolean;
}

/** A page may still be rendering its form. */
const APPEAR_MS = 4_000;
const TICK_MS = 250;
/** How long a site may take to respond to a form. */
const RESPONSE_MS = 15_000;
const FIELD_MS = 5_000;
const ENABLED_MS = 2_000;
const MAX_INPUTS = 200;

interface FoundForm {
  readonly frame: Frame;
  readonly handles: readonly ElementHandle<HTMLInputElement>[];
  readonly fields: FoundFields;
}

/**
 * Enters the values into the sign-in form of a page and submits it, then waits for the site to respond. No error that leaves
 * here has a message from Playwright, which quotes what was entered.
 */
export async function enterSignIn(
  page: Page,
  { values, mayEnter, isSignInPage, isSubmitLabel }: SignInEntry,
  signal: AbortSignal,
): Promise<EnteredForm> {
  const form = await waitForForm(page, isSignInPage, signal);
  if (form === null) return { asked: [], isSent: false, isAllowed: true };
  const asked = listKinds(form.fields);
  const isAllowed = [page.mainFrame(), form.frame].every((frame) => mayEnter(frame.url()));
  if (!isAllowed || asked.some((kind) => values[kind] === null)) return { asked, isSent: false, isAllowed };
  try {
    const last = await fill(form, values, mayEnter);
    if (last !== null) await submit(last, isSubmitLabel);
  } catch {
    signal.throwIfAborted();
    // Many forms send themselves after the last digit of a code.
    if (!asked.includes("code")) throw new SignInFormFailed("A field of the sign-in form could not be filled in");
  }
  await waitForResponse(page, form, isSignInPage, signal);
  return { asked, isSent: true, isAllowed };
}

type IsSignInPage = SignInEntry["isSignInPage"];

class SignInFormFailed extends Error {
  override readonly name = "SignInFormFailed";
}

async function waitForForm(page: Page, isSignInPage: IsSignInPage, signal: AbortSignal): Promise<FoundForm | null> {
  const deadlineMs = performance.now() + APPEAR_MS;
  for (;;) {
    const form = await findForm(page, isSignInPage);
    if (form !== null || performance.now() > deadlineMs) return form;
    await sleep(TICK_MS, undefined, { signal });
  }
}

/** A user name alone may be something else, such as a newsletter's, if another frame asks for more. */
async function findForm(page: Page, isSignInPage: IsSignInPage): Promise<FoundForm | null> {
  let found: FoundForm | null = null;
  for (const frame of page.frames()) {
    const reading = findInFrame(frame, isSignInPage).catch(() => null);
    const form = await withTimeout(reading, FIELD_MS);
    if (form === null || listKinds(form.fields).length === 0) continue;
    if (form.fields.password !== null || form.fields.code.length > 0) return form;
    found ??= form;
  }
  return found;
}

async function findInFrame(frame: Frame, isSignInPage: IsSignInPage): Promise<FoundForm> {
  const all = (await frame.locator("input").elementHandles()).slice(0, MAX_INPUTS);
  const read = await Promise.all(all.map((handle) => handle.evaluate(readInput)));
  const usable = all.flatMap((handle, index) => {
    const facts = read[index] ?? null;
    return facts === null ? [] : [{ handle: handle as ElementHandle<HTMLInputElement>, facts }];
  });
  const fields =
    usable.length === 0
      ? NO_FIELDS
      : findFields(
          usable.map(({ facts }) => facts),
          isSignInPage(frame.url()),
        );
  return { frame, handles: usable.map(({ handle }) => handle), fields };
}

/** Runs in the page. Null for an input that a person could not see or use. Never reads what was entered. */
function readInput(node: Node): InputFacts | null {
  const input = node as HTMLInputElement;
  const box = input.getBoundingClientRect();
  const isSeen = input.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isOnPage = box.width > 1 && box.height > 1 && box.right > 0 && box.bottom + scrollY > 0;
  if (!isSeen || !isOnPage || input.disabled || input.readOnly || input.type === "hidden") return null;
  const textOf = (element: Element | null | undefined) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
  const root = input.getRootNode() as Document | ShadowRoot;
  const references = (input.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const named = ["aria-label", "placeholder", "name", "id", "title"].map((name) => input.getAttribute(name) ?? "");
  const labels = [...(input.labels ?? []), ...references.map((id) => root.getElementById(id))].map(textOf);
  const form = input.form ?? input.closest("form");
  const buttons = form === null ? [] : [...form.querySelectorAll("button, input[type=submit]")];
  const names = ["action", "id", "name", "class", "aria-label"].map((name) => form?.getAttribute(name) ?? "");
  return {
    type: input.type,
    autocomplete: (input.getAttribute("autocomplete") ?? "").toLowerCase(),
    label: [...labels, ...named].filter(Boolean).join(" ").slice(0, 500),
    maxLength: input.maxLength > 0 ? input.maxLength : null,
    form: form === null ? null : [...document.forms].indexOf(form),
    formText: [...names, ...buttons.map((button) => textOf(button) || (button as HTMLInputElement).value)]
      .join(" ")
      .slice(0, 500),
  };
}

function listKinds({ userName, password, code }: FoundFields): SignInField[] {
  return [
    ...(userName === null ? [] : (["userName"] as const)),
    ...(password === null ? [] : (["password"] as const)),
    ...(code.length === 0 ? [] : (["code"] as const)),
  ];
}

/** Returns the last field. */
async function fill(
  { handles, fields }: FoundForm,
  values: SignInValues,
  mayEnter: SignInEntry["mayEnter"],
): Promise<ElementHandle<HTMLInputElement> | null> {
  let last: ElementHandle<HTMLInputElement> | null = null;
  const enter = async (index: number | undefined, value: string) => {
    const handle = index === undefined ? undefined : handles[index];
    if (handle === undefined) throw new SignInFormFailed("A field of the sign-in form is gone");
    // The element belongs to one document for good, and no page can change what this says about it.
    const url = await handle.evaluate((input) => input.ownerDocument.location.href);
    if (!mayEnter(url)) throw new SignInFormFailed("The page has changed");
    await handle.fill(value, { timeout: FIELD_MS });
    last = handle;
  };
  if (fields.userName !== null) await enter(fields.userName, values.userName ?? "");
  if (fields.password !== null) await enter(fields.password, values.password ?? "");
  if (fields.code.length > 0) {
    const code = (await values.code?.()) ?? "";
    const [first, ...others] = fields.code;
    if (others.length === 0) await enter(first, code);
    else for (const [position, index] of fields.code.entries()) await enter(index, code.charAt(position));
  }
  return last;
}

/** With the Enter key where the form has a submit button, as its makers expect it, or else with the button that says so. */
async function submit(
  last: ElementHandle<HTMLInputElement>,
  isSubmitLabel: SignInEntry["isSubmitLabel"],
): Promise<void> {
  for (let waitedMs = 0; waitedMs < ENABLED_MS && (await last.evaluate(isSubmitDisabled)); waitedMs += TICK_MS)
    await sleep(TICK_MS);
  const labels = await last.evaluate(listFollowingButtons);
  const chosen = labels === "form" ? -1 : labels.findIndex(isSubmitLabel);
  const button = chosen === -1 ? null : await last.evaluateHandle(getFollowingButton, chosen);
  const element = button?.asElement() ?? null;
  if (element === null) await last.press("Enter", { timeout: FIELD_MS });
  else await (element as ElementHandle<HTMLElement>).click({ timeout: FIELD_MS });
}

/** Runs in the page. Many forms enable their button only after their script has checked what was entered. */
function isSubmitDisabled({ form }: HTMLInputElement): boolean {
  const submits = "button:not([type=button], [type=reset]), input[type=submit]";
  return form?.querySelector<HTMLButtonElement>(submits)?.disabled === true;
}

/** Runs in the page. "form" when the field's form has a submit button; else the labels of the buttons after the field. */
function listFollowingButtons(field: HTMLInputElement): "form" | string[] {
  const form = field.form ?? field.closest("form");
  const submits = "button:not([type=button], [type=reset]), input[type=submit], input[type=image]";
  if (form?.querySelector(submits)) return "form";
  const all = (field.getRootNode() as Document).querySelectorAll<HTMLElement>(
    "button, [role=button], input[type=button]",
  );
  return [...all]
    .filter((button) => (field.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)
    .map((button) =>
      button.checkVisibility({ visibilityProperty: true, opacityProperty: true })
        ? (button.getAttribute("aria-label") ?? (button.textContent || (button as HTMLInputElement).value)).trim()
        : "",
    );
}

/** Runs in the page. */
function getFollowingButton(field: HTMLInputElement, wanted: number): HTMLElement | null {
  const all = (field.getRootNode() as Document).querySelectorAll<HTMLElement>(
    "button, [role=button], input[type=button]",
  );
  const following = [...all].filter(
    (button) => (field.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
  return following[wanted] ?? null;
}

/** Until the form is gone or asks for something else. One that stays as it is was not accepted. */
async function waitForResponse(
  page: Page,
  { handles, fields }: FoundForm,
  isSignInPage: IsSignInPage,
  signal: AbortSignal,
): Promise<void> {
  const [index] = [fields.password, fields.userName, ...fields.code].filter((each) => each !== null);
  const field = index === undefined ? undefined : handles[index];
  const before = String(listKinds(fields));
  const deadlineMs = performance.now() + RESPONSE_MS;
  while (performance.now() < deadlineMs) {
    await sleep(TICK_MS, undefined, { signal });
    const isThere = await withTimeout(field?.isVisible().catch(() => false) ?? Promise.resolve(false), FIELD_MS);
    if (isThere !== true) return;
    const form = await findForm(page, isSignInPage);
    if (form !== null && String(listKinds(form.fields)) !== before) return;
  }
}
