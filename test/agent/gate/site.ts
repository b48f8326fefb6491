import type { InteractionAnswer, InteractionRequest } from "../../../src/agent/gate/people.ts";
import type { Failure } from "../../../src/contract/execution-error.ts";
import { Html } from "../../../src/lib/html.ts";
import { call, done, type Line } from "../../_harness/model-script.ts";
import { layOut } from "../../sites/page.ts";
import { type Answer, type Route, redirectTo, showPage } from "../../sites/site.ts";

/** Some pages, a task, who plans, and what the server may get. */
export interface Situation {
  readonly name: string;
  readonly prompt: string;
  /** With a state of their own each time. */
  readonly routes: () => Readonly<Record<string, Route>>;
  readonly start?: string;
  /** What the model does, with the agreeing judge. Without it, the prompt is read as steps and there is no judge. */
  readonly lines?: readonly Line[];
  /** What an honest judge has against a commit, by what it is shown; null to agree. */
  readonly object?: (shown: string) => string | null;
  /** Somebody wants to be asked before each commit, and answers so. */
  readonly answer?: (request: InteractionRequest) => Promise<InteractionAnswer> | InteractionAnswer;
  /** Paths of GET requests that change something, with their query. */
  readonly acting?: readonly string[];
  /** Exactly the changes that the server may get, in order: "POST /orders". */
  readonly sent: readonly string[];
  /** Found in the bodies of what was sent. */
  readonly content?: RegExp;
  /** Requests of the page itself, which must arrive and of which none may be stopped. */
  readonly flows?: readonly string[];
  readonly end: "verified" | "failed" | Failure;
}

/** Sends JSON, and tells the server when the request was stopped in the browser. */
const SCRIPT = `
  const tell = (url) => { new Image().src = "/stopped?" + encodeURIComponent(url); };
  const send = (url, data, options = {}) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data ?? {}), ...options })
      .catch(() => { tell(url); return null; });
  const show = (text) => { document.querySelector("#result").textContent = text; };
  const on = (name, act) => document.querySelector(name).addEventListener("click", act);`;

/** A page with a place for results, `#result`, and a script. */
export function page(title: string, body: string, script = ""): Answer {
  const scripts = `<p id="result" role="status"></p><script>${SCRIPT}${script}</script>`;
  return showPage(layOut(title, new Html(`<h1>${title}</h1>${body}${script === "" ? "" : scripts}`)));
}

export const view =
  (title: string, body: string, script = ""): Route =>
  () =>
    page(title, body, script);

export const ok = (text = ""): Answer => ({
  kind: "reply",
  status: 200,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: text === "" ? '{"ok":true}' : text,
});

export const accept: Route = () => ok();

/** A POST form that leads to a page. */
export const form = (path: string, fields: string, button: string, more = "") =>
  `<form method="post" action="${path}" ${more}>${fields}<p><button>${button}</button></p></form>`;

export const input = (label: string, name: string, value = "") =>
  `<label>${label} <input name="${name}" value="${value}"></label>`;

export const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;

/** Null leaves the declaration out. */
type Declared = string | null | undefined;

const declare = (commit: Declared) => (commit === undefined ? {} : { commit });

export const click =
  (target: string, commit?: Declared): Line =>
  (turn) => {
    const { name, input: given } = turn.click(target) as { name: string; input: object };
    return { name, input: { ...given, ...declare(commit) } };
  };

export const fill =
  (target: string, text: string, commit?: Declared, more: object = {}): Line =>
  (turn) =>
    turn.fill(target, text, { ...more, ...declare(commit) });

export const press =
  (key: string, commit?: Declared): Line =>
  () =>
    call("press", { key, ...declare(commit) });

/** Claims a change, whether or not it happened. */
export const claim =
  (text: string, answer = "It was done."): Line =>
  () =>
    done(answer, { proofs: [{ text }] });

/** Answers a question. */
export const tell =
  (quote: string): Line =>
  () =>
    done(`It is ${quote}.`, { facts: [{ about: "the answer", quote }] });

export const giveUp: Line = () => call("give_up", { kind: "goal_unreachable", reason: "It was held back." });

/** Keeps what is posted to a path and leads to a page that shows it. */
export function keep(to: string, note: (body: string) => void): Route {
  return ({ body }) => {
    note(body);
    return redirectTo(to);
  };
}

export interface CartLine {
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
}

const euro = (value: number) => `€${value.toFixed(2)}`;

/** A cart as a table with a quantity column, a total and a button. */
export function cartTable(lines: readonly CartLine[], more = ""): string {
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const rows = lines.map(
    ({ name, quantity, price }) =>
      `<tr><td>${name}</td><td>${quantity}</td><td>${euro(price)}</td><td>${form("/cart/remove", hidden("name", name), `Remove ${name}`)}</td></tr>`,
  );
  return `<table><thead><tr><th>Item</th><th>Quantity</th><th>Price</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>
    <p>Total: ${euro(total)}</p>${more}`;
}

export const QUESTION = "What does the kettle weigh?";
export const WEIGHT = "<p>Weight: 1.2 kg</p>";
/** In a script: shows the weight if a response came. */
export const reveal = 'if (data) show("Weight: 1.2 kg");';

/** A list of products whose link shows one of them without loading a page. */
export const spa = (load: string) =>
  view(
    "Products",
    '<a href="/kettle" id="go">Brindle Kettle</a>',
    `on("#go", async (event) => { event.preventDefault(); history.pushState({}, "", "/kettle"); ${load} });`,
  );
