import type { ReactNode } from "react";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { isRecord, readText, type Step } from "./trace.ts";

const MAX_LENGTH = 160;

/** A step as a sentence. Labels and texts in it come from the site or the prompt, so they are untrusted. */
export function StepDescription({ step: { action, input } }: { step: Pick<Step, "action" | "input"> }) {
  const describe = Object.hasOwn(DESCRIPTIONS, action) ? DESCRIPTIONS[action] : undefined;
  return <>{describe === undefined ? <Unknown action={action} input={input} /> : describe(input)}</>;
}

type Input = Step["input"];

const TAKEN_OVER_BY: ReadonlyMap<string, string> = new Map([
  ["user", "The user"],
  ["owner", "The application's owner"],
  ["application", "The application"],
  ["link", "Somebody with the link"],
]);

const DESCRIPTIONS: Record<string, (input: Input) => ReactNode> = {
  goto: ({ url }) => <>Open {shorten(url)}</>,
  back: () => "Go back",
  click: ({ label, double }) => (
    <>
      {double === true ? "Double-click" : "Click"} {quoted(label)}
    </>
  ),
  fill: ({ label, text, submit }) => (
    <>
      Type {quoted(text)} into {quoted(label)}
      {submit === true && " and press Enter"}
    </>
  ),
  edit: ({ label, text, replace, after }) => (
    <>
      {readText(replace) !== "" ? <>Replace {quoted(replace)} by</> : "Add"} {quoted(text)}
      {readText(after) !== "" && <> after {quoted(after)}</>} in {quoted(label)}
    </>
  ),
  select: ({ label, options }) => (
    <>
      Select {quoted(joined(options))} in {quoted(label)}
    </>
  ),
  check: ({ label, checked }) => (
    <>
      {checked === false ? "Uncheck" : "Check"} {quoted(label)}
    </>
  ),
  press: ({ key, keys, label }) => (
    <>
      Press {shorten(readText(key) || readText(keys))}
      {readText(label) !== "" && <> in {quoted(label)}</>}
    </>
  ),
  takeover: ({ by }) => `${TAKEN_OVER_BY.get(readText(by)) ?? "A person"} used the browser`,
  hover: ({ label }) => <>Hover over {quoted(label)}</>,
  drag: ({ label, to_label }) => (
    <>
      Drag {quoted(label)} to {quoted(to_label)}
    </>
  ),
  upload: ({ label, name }) => (
    <>
      Upload {quoted(name)} to {quoted(label)}
    </>
  ),
  scroll: ({ direction, label }) =>
    readText(label) !== "" ? <>Scroll to {quoted(label)}</> : <>Scroll {shorten(direction)}</>,
  wait_for: ({ text, gone, url_contains }) => (
    <>
      Wait
      {readText(text) !== "" && <> for {quoted(text)}</>}
      {readText(gone) !== "" && <> until {quoted(gone)} is gone</>}
      {readText(url_contains) !== "" && <> for the URL to contain {quoted(url_contains)}</>}
    </>
  ),
  tab: ({ id, close }) => (
    <>
      {close === true ? "Close" : "Switch to"} tab {shorten(id)}
    </>
  ),
  find: ({ words }) => <>Look for {quoted(words)} on the page</>,
  read: () => "Read the page",
  look: () => "Look at the page again",
  dialog: ({ accept, text }) => (
    <>
      {accept === false ? "Dismiss" : "Accept"} the dialog
      {readText(text) !== "" && <> with {quoted(text)}</>}
    </>
  ),
};

function Unknown({ action, input }: Pick<Step, "action" | "input">) {
  const label = isRecord(input) ? readText(input["label"]) : "";
  return (
    <>
      {shorten(action === "" ? "A step" : action)} {label !== "" && quoted(label)}
    </>
  );
}

function quoted(value: unknown): ReactNode {
  return <strong>“{shorten(value)}”</strong>;
}

function shorten(value: unknown): ReactNode {
  const text = readText(value);
  return <UntrustedText>{text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text}</UntrustedText>;
}

function joined(options: unknown): string {
  return Array.isArray(options) ? options.map(readText).join(", ") : "";
}
