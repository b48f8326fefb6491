import type { Line, ShownTurn } from "./model-script.ts";

/** What to enter on a way through forms, and what tells that it is done. */
export interface FormErrand {
  /** Names of fields, and what to enter or choose there. */
  readonly entries: readonly { readonly field: RegExp; readonly value: string }[];
  /** Radio buttons and checkboxes to choose. */
  readonly choices?: readonly RegExp[];
  /** What to click when everything on the page is filled in, the best first. */
  readonly onward: readonly { readonly name: RegExp; readonly commit?: string }[];
  /** The part of a page that says that it is done, and what to claim then. */
  readonly end: RegExp;
  readonly claim: (found: RegExpExecArray) => object;
  /** Whether a dialog of the browser is to be accepted. */
  readonly accepts?: RegExp;
}

const CONTROL = /((?:f\d+)?[ec]\d+) ([a-z]+) "([^"]*)"(?: = "([^"]*)")?([^{}\n]*)/g;
const FIELDS = new Set(["textbox", "combobox", "spinbutton", "searchbox", "date"]);

interface Control {
  readonly use: { readonly ref: string; readonly label: string };
  readonly role: string;
  readonly name: string;
  readonly value: string;
  readonly isChosen: boolean;
}

/** A model that fills in forms like an attentive person: what the page asks for now, each thing once, then onward. */
export function fillForms(errand: FormErrand): Line {
  return (turn) => {
    const dialog = /^dialog: \w+ "(.*)", answer it/m.exec(turn.page)?.[1];
    if (dialog !== undefined) return { name: "dialog", input: { accept: errand.accepts?.test(dialog) ?? false } };
    const found = errand.end.exec(turn.page);
    if (found !== null) return { name: "done", input: errand.claim(found) };
    const controls = readControls(turn.page);
    return (
      enter(errand, controls) ??
      choose(errand, controls) ??
      goOn(errand, controls, turn) ?? {
        name: "give_up",
        input: { kind: "goal_unreachable", reason: "The page offers nothing more." },
      }
    );
  };
}

function readControls(page: string): Control[] {
  return [...page.matchAll(CONTROL)].map(([, ref = "", role = "", name = "", value = "", rest = ""]) => ({
    use: { ref, label: name },
    role,
    name,
    value,
    isChosen: /\[[^\]]*(?<!un)checked/.test(rest),
  }));
}

function enter({ entries }: FormErrand, controls: readonly Control[]) {
  for (const { field, value } of entries) {
    const control = controls.find(({ role, name }) => FIELDS.has(role) && field.test(name));
    if (control === undefined || control.value === value) continue;
    if (control.role === "combobox") return { name: "select", input: { ...control.use, options: [value] } };
    return { name: "fill", input: { ...control.use, text: value } };
  }
  return null;
}

function choose({ choices = [] }: FormErrand, controls: readonly Control[]) {
  const choice = controls.find(
    ({ role, name, isChosen }) => /radio|checkbox/.test(role) && !isChosen && choices.some((each) => each.test(name)),
  );
  return choice === undefined ? null : { name: "click", input: choice.use };
}

/** What was declared and sent is not sent again. */
function goOn({ onward }: FormErrand, controls: readonly Control[], turn: ShownTurn) {
  const sent = `${turn.block("What you did before")}\n${turn.block("What you did last, and the result")}`.split("\n");
  for (const { name: wanted, commit } of onward) {
    const control = controls.find(({ role, name }) => /button|link/.test(role) && wanted.test(name));
    if (control === undefined) continue;
    if (commit === undefined) return { name: "click", input: control.use };
    const isSent = sent.some((line) => line.includes(`click "${control.name}"`) && line.includes("[POST"));
    if (!isSent) return { name: "click", input: { ...control.use, commit } };
  }
  return null;
}
