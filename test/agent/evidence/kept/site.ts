import { Html } from "../../../../src/lib/html.ts";
import { layOut } from "../../../sites/page.ts";
import { type Answer, type Route, type SiteRequest, showPage } from "../../../sites/site.ts";

/** Something that the site keeps, as its own list shows it. */
export type Kept = Readonly<Record<string, string>>;

/** What the site really has. It is the oracle. */
export class Store {
  readonly records: Kept[];
  #count = 16;

  constructor(records: readonly Kept[]) {
    this.records = [...records];
  }

  add(values: Kept, prefix: string): Kept {
    const record = { id: this.nextId(prefix), ...values };
    this.records.push(record);
    return record;
  }

  nextId(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  change(id: string, values: Kept): void {
    const at = this.records.findIndex((record) => record["id"] === id);
    if (at >= 0) this.records[at] = { ...this.records[at], ...values };
  }

  remove(id: string): void {
    const at = this.records.findIndex((record) => record["id"] === id);
    if (at >= 0) this.records.splice(at, 1);
  }
}

/** How a page sends what was entered, and what it does with the response. */
export type Transport =
  /** A form whose response leads on. */
  | "redirect"
  /** A form whose response is a page. */
  | "page"
  /** JSON, and a message on the same page. */
  | "fetch"
  /** The page is changed first, and JSON is sent then. */
  | "optimistic"
  /** All that the application knows is sent at once. */
  | "whole state";

/** Reads a form or JSON. */
export function valuesOf({ body }: SiteRequest): Record<string, string> {
  if (!body.startsWith("{")) return Object.fromEntries(new URLSearchParams(body));
  return Object.fromEntries(Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, String(value)]));
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function page(title: string, body: string, script = ""): Answer {
  const code = script === "" ? "" : `<script>${HELPERS}${script}</script>`;
  return showPage(
    layOut(title, new Html(`<h1>${escapeHtml(title)}</h1>${body}<p id="said" role="status"></p>${code}`)),
  );
}

const HELPERS = `
  const send = (method, url, data) =>
    fetch(url, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(data) })
      .then((response) => response.json());
  const say = (text) => { said.textContent = text; };
  const readForm = (form) => Object.fromEntries(new FormData(form));
  const onSubmit = (act) => document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    act(readForm(event.target), event.target);
  });`;

export const link = (href: string, text: string) => `<p><a href="${href}">${escapeHtml(text)}</a></p>`;

export function table(headings: readonly string[], rows: readonly (readonly string[])[], cell = ""): string {
  const head = headings.map((heading) => `<th>${escapeHtml(heading)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((text) => `<td>${text}</td>`).join("")}</tr>`).join("");
  return `<table><thead><tr>${head}${cell}</tr></thead><tbody>${body}</tbody></table>`;
}

export const cells = (record: Kept, names: readonly string[]) => names.map((name) => escapeHtml(record[name] ?? ""));

export const input = (label: string, name: string, value = "", type = "text") =>
  `<label>${label} <input type="${type}" name="${name}" value="${escapeHtml(value)}"></label>`;

export function select(label: string, name: string, options: readonly string[], chosen = ""): string {
  const all = options.map((text, index) => {
    const value = index === 0 && chosen === "" ? "" : text.toLowerCase();
    return `<option value="${value}" ${text === chosen ? "selected" : ""}>${text}</option>`;
  });
  return `<label>${label} <select name="${name}">${all.join("")}</select></label>`;
}

export const form = (action: string, fields: string, button: string) =>
  `<form method="post" action="${action}">${fields}<p><button>${button}</button></p></form>`;

export type Routes = Readonly<Record<string, Route>>;
