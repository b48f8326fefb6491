import { Html, html } from "../../../src/lib/html.ts";
import { layOut } from "../page.ts";

/** `choose` sends the widget's value to the server, and shows it once the server has it. */
const CHOOSE_SCRIPT = new Html(`
  async function choose(widget, value) {
    const response = await fetch("/choices", { method: "POST", body: new URLSearchParams({ widget, value }) });
    document.getElementById("chosen").textContent = response.ok ? "Chosen: " + value : "That could not be kept.";
  }
`);

export function layOutWidget(title: string, body: Html, script: string, style = ""): Html {
  return layOut(
    title,
    html`<h1>${title}</h1>${body}<p id="chosen" role="status"></p><script>${CHOOSE_SCRIPT}${new Html(script)}</script>`,
    style !== "" && html`<style>${new Html(style)}</style>`,
  );
}
