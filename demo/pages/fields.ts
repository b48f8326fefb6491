import { type Html, html } from "../../src/lib/html.ts";
import type { Session } from "../people/sessions.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";

interface FieldOptions {
  label: string;
  name: string;
  value: string;
  problems: Problems;
  hint?: string;
  type?: string;
  autocomplete?: string;
  inputmode?: string;
  placeholder?: string;
  /** Additional attributes, such as the limits of a date. */
  attributes?: Html;
  optional?: boolean;
}

export function csrfField({ csrfToken }: Session): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken}">`;
}

/** A form that the server validates, not the browser, so that the messages are always the same. */
export function postForm(session: Session, action: string, content: Html, className = "form"): Html {
  return html`<form method="post" action="${action}" class="${className}" novalidate>${csrfField(session)}${content}</form>`;
}

export function textField(options: FieldOptions): Html {
  const { name, value, type = "text", autocomplete, inputmode, placeholder, attributes } = options;
  return wrapField(
    options,
    html`<input id="${name}" name="${name}" type="${type}" value="${type === "password" ? "" : value}"
      ${autocomplete !== undefined && html`autocomplete="${autocomplete}"`}
      ${inputmode !== undefined && html`inputmode="${inputmode}"`}
      ${placeholder !== undefined && html`placeholder="${placeholder}"`}
      ${attributes} ${state(options)}>`,
  );
}

export function textArea(options: FieldOptions): Html {
  const { name, value } = options;
  return wrapField(options, html`<textarea id="${name}" name="${name}" rows="3" ${state(options)}>${value}</textarea>`);
}

export interface Choice {
  value: string;
  label: string;
}

export function selectField(options: FieldOptions & { choices: readonly Choice[] }): Html {
  const { name, value, choices, autocomplete } = options;
  return wrapField(
    options,
    html`<select id="${name}" name="${name}" ${autocomplete !== undefined && html`autocomplete="${autocomplete}"`} ${state(options)}>
      ${optionsOf(choices, value)}</select>`,
  );
}

export function optionsOf(choices: readonly Choice[], chosen: string): Html[] {
  return choices.map(
    ({ value, label }) => html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`,
  );
}

export function checkbox(name: string, label: string, checked: boolean, hint?: string): Html {
  return html`<div class="choice">
    <input id="${name}" name="${name}" type="checkbox" value="yes" ${checked && html`checked`}
      ${hint !== undefined && html`aria-describedby="${name}-hint"`}>
    <label for="${name}">${label}</label>
    ${hint !== undefined && html`<span class="hint" id="${name}-hint">${hint}</span>`}
  </div>`;
}

export interface RadioChoice extends Choice {
  hint?: string;
  aside?: string;
}

export function radios(name: string, chosen: string, choices: readonly RadioChoice[]): Html[] {
  return choices.map(
    ({ value, label, hint, aside }) => html`<div class="choice choice-card">
    <input id="${name}-${value}" name="${name}" type="radio" value="${value}" ${value === chosen && html`checked`}
      ${hint !== undefined && html`aria-describedby="${name}-${value}-hint"`}>
    <label for="${name}-${value}">${label}</label>
    ${aside !== undefined && html`<span class="aside">${aside}</span>`}
    ${hint !== undefined && html`<span class="hint" id="${name}-${value}-hint">${hint}</span>`}
  </div>`,
  );
}

/** A list of all problems, each with a link to its field. */
export function problemSummary(problems: Problems): Html | null {
  if (!hasProblems(problems)) return null;
  return html`<div class="problems" role="alert">
    <h2>Please check what you entered</h2>
    <ul>${Object.entries(problems).map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>
  </div>`;
}

function wrapField({ label, name, problems, hint, optional }: FieldOptions, control: Html): Html {
  const problem = problems[name];
  return html`<div class="field${problem !== undefined && " field-wrong"}">
    <label for="${name}">${label}${optional === true && html` <span class="muted">(optional)</span>`}</label>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${control}
    ${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}
  </div>`;
}

function state({ name, problems, hint, optional }: FieldOptions): Html {
  const wrong = problems[name] !== undefined;
  const described = [hint !== undefined && `${name}-hint`, wrong && `${name}-problem`].filter((id) => id !== false);
  return html`${optional !== true && html`required`} ${wrong && html`aria-invalid="true"`}
    ${described.length > 0 && html`aria-describedby="${described.join(" ")}"`}`;
}
