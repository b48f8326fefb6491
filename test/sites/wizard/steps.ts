import { type Html, html } from "../../../src/lib/html.ts";

export type Application = Record<string, string>;
export type Problems = Record<string, string>;

export interface Step {
  readonly title: string;
  readonly fields: readonly Field[];
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  /** The error for a value, or null. */
  readonly check: (value: string) => string | null;
}

type FieldKind =
  | { readonly input: "text" | "email" | "date" }
  | { readonly input: "select" | "radio"; readonly options: readonly string[] }
  | { readonly input: "textarea" | "checkbox" };

const SITES = ["Riverside", "Mill Hill", "Old Orchard"];
const SIZES = ["Small (50 m²)", "Medium (100 m²)", "Large (200 m²)"];

const required = (message: string) => (value: string) => (value === "" ? message : null);
const oneOf = (options: readonly string[], message: string) => (value: string) =>
  options.includes(value) ? null : message;
const anything = () => null;

function checkStart(value: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return "Enter a start date.";
  return value < "2026-03-01" ? "The season starts on 1 March 2026." : null;
}

export const STEPS: readonly Step[] = [
  {
    title: "About you",
    fields: [
      { name: "name", label: "Full name", kind: { input: "text" }, check: required("Enter your full name.") },
      {
        name: "email",
        label: "E-mail address",
        kind: { input: "email" },
        check: (value) => (/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value) ? null : "Enter an e-mail address."),
      },
    ],
  },
  {
    title: "Your plot",
    fields: [
      {
        name: "site",
        label: "Site",
        kind: { input: "select", options: SITES },
        check: oneOf(SITES, "Choose a site."),
      },
      {
        name: "size",
        label: "Plot size",
        kind: { input: "radio", options: SIZES },
        check: oneOf(SIZES, "Choose a plot size."),
      },
    ],
  },
  {
    title: "When",
    fields: [
      { name: "start", label: "Start date", kind: { input: "date" }, check: checkStart },
      { name: "shed", label: "I would like to share a tool shed", kind: { input: "checkbox" }, check: anything },
    ],
  },
  {
    title: "Your plans",
    fields: [
      {
        name: "plans",
        label: "What will you grow?",
        kind: { input: "textarea" },
        check: (value) => (value.length >= 10 ? null : "Tell us in at least 10 characters."),
      },
      {
        name: "rules",
        label: "I agree to the garden rules",
        kind: { input: "checkbox" },
        check: (value) => (value === "yes" ? null : "You have to agree to the garden rules."),
      },
    ],
  },
];

export function checkStep(step: Step, values: Application): Problems {
  const found = step.fields.map(({ name, check }) => [name, check(values[name] ?? "")] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null));
}

export function renderField(field: Field, value: string, problem: string | undefined): Html {
  return html`${renderControl(field, value, problem)}${
    problem !== undefined && html`<p class="error" id="${field.name}-error">${problem}</p>`
  }`;
}

function renderControl({ name, label, kind }: Field, value: string, problem: string | undefined): Html {
  const invalid = problem !== undefined && html`aria-invalid="true" aria-describedby="${name}-error"`;
  switch (kind.input) {
    case "select":
      return html`<label>${label} <select name="${name}" ${invalid}><option value="">Please choose</option>
        ${kind.options.map((option) => html`<option ${option === value && "selected"}>${option}</option>`)}</select></label>`;
    case "radio":
      return html`<fieldset role="radiogroup" ${invalid}><legend>${label}</legend>${kind.options.map(
        (option) =>
          html`<label><input type="radio" name="${name}" value="${option}" ${option === value && "checked"}> ${option}</label>`,
      )}</fieldset>`;
    case "textarea":
      return html`<label>${label} <textarea name="${name}" rows="4" ${invalid}>${value}</textarea></label>`;
    case "checkbox":
      return html`<label><input type="checkbox" name="${name}" value="yes" ${value === "yes" && "checked"} ${invalid}> ${label}</label>`;
    default:
      return html`<label>${label} <input type="${kind.input}" name="${name}" value="${value}" ${invalid}></label>`;
  }
}
