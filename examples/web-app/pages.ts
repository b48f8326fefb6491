/** The pages as HTML. Everything that is shown comes from people and sites, so all of it is escaped. */
import { randomUUID } from "node:crypto";
import type { Artifact, Evidence, Execution, Interaction } from "@errand/sdk";

/** Null: nobody is signed in. */
export function homePage(executions: Execution[] | null): string {
  if (executions === null) {
    return layout(
      "Errand example",
      html`<p>Errands run in a browser, in your name. Connect once.</p>
        <form method="post" action="/sign-in"><button>Sign in with Errand</button></form>`,
    );
  }
  return layout(
    "Errand example",
    html`<form method="post" action="/errands">
        <input type="hidden" name="key" value="${randomUUID()}">
        <p><label>What should be done? <textarea name="prompt" rows="3" required></textarea></label></p>
        <p><label><input type="checkbox" name="ask"> Ask me before anything is bought, sent or deleted</label></p>
        <button>Run</button>
      </form>
      <h2>Your errands</h2>
      <ul>${executions.map(
        ({ id, prompt, status }) => html`<li><a href="/errands/${id}">${prompt}</a> (${status.toLowerCase()})</li>`,
      )}</ul>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );
}

interface ErrandView {
  execution: Execution;
  /** Null while it runs. */
  evidence: { evidence: Evidence; artifacts: Artifact[] } | null;
  interaction: Interaction | null;
  /** When the webhook arrived. */
  notice: string | null;
}

export function errandPage({ execution, evidence, interaction, notice }: ErrandView): string {
  const { prompt, terminal, result, error, usage } = execution;
  if (evidence === null) {
    const question =
      interaction && html`<p><a href="${interaction.link ?? ""}" target="_blank">${interaction.message}</a></p>`;
    return layout(prompt, html`<p>${execution.status.toLowerCase()}…</p>${question ?? ""}`, 2);
  }
  const { side_effects, urls, verifier } = evidence.evidence;
  return layout(
    prompt,
    html`<h2>${result === null ? "Not done" : "Done, and verified"}</h2>
      <p id="outcome">${result?.final_text ?? error?.message ?? terminal?.reason ?? ""}</p>
      <p>${verifier?.reason ?? "It ended before it was verified."}</p>
      <h2>Receipt</h2>
      <p>${usage.charged ? `${usage.credits} credits` : "Not charged"}</p>
      <ul id="changes">${
        side_effects.length === 0
          ? html`<li>Nothing was changed.</li>`
          : side_effects.map(
              ({ type, description, url }) => html`<li>${description ?? `${type} ${String(url ?? "")}`}</li>`,
            )
      }</ul>
      <h2>Evidence</h2>
      <ul>${urls.map((url) => html`<li>${url}</li>`)}</ul>
      <ul>${evidence.artifacts.map(
        ({ id, name }) => html`<li><a href="/errands/${execution.id}/files/${id}">${name}</a></li>`,
      )}</ul>
      ${notice === null ? "" : html`<p id="notice">The webhook said so at ${notice}.</p>`}`,
  );
}

export function messagePage(message: string): string {
  return layout("Errand example", html`<p>${message}</p>`);
}

function layout(title: string, content: Html, refreshSeconds?: number): string {
  const page = html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    ${refreshSeconds === undefined ? "" : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}">`}
    <title>${title}</title>
    <style>body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem } textarea { width: 100% }</style>
    <h1>${title}</h1>${content}<p><a href="/">Home</a></p></html>`;
  return page.text;
}

/** Text that is already HTML. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Html | readonly Part[];

function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((string, index) => string + render(parts[index] ?? "")).join(""));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part !== "string") return part.map(render).join("");
  return part.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
