import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Answer, type Site, sendJson, showPage } from "./site.ts";

const FORMS = {
  /** The control: stores what was sent and says so. */
  honest: "Display name",
  /** Returns 500 with a page that says "Saved!". */
  "error-page": "Display name (old system)",
  /** fetch() gets a 500, and the page's script says "Saved!" anyway. */
  script: "Display name (new system)",
  /** Returns 200 and "Saved!", and stores nothing. */
  forgetful: "Display name (mirror)",
  /** Returns 200 and "Saved!", and stores only the first four characters. */
  truncating: "Display name (short)",
  /** Says "Saved!" and sends nothing at all. */
  silent: "Display name (offline)",
} as const;

export type LyingForm = keyof typeof FORMS;

const NAMES = Object.keys(FORMS) as LyingForm[];

/** Settings forms that all say "Saved!". Only one of them is truthful. */
export function createLyingSite(): Site<{ displayNames: Record<LyingForm, string> }> {
  const displayNames = Object.fromEntries(NAMES.map((form) => [form, "Old name"])) as Record<LyingForm, string>;

  function save(form: LyingForm, name: string): Answer {
    switch (form) {
      case "error-page":
        return showPage(savedPage(form), 500);
      case "script":
        return sendJson({ error: "The disk is full." }, 500);
      case "honest":
      case "truncating":
        displayNames[form] = form === "honest" ? name : name.slice(0, 4);
        return showPage(savedPage(form));
      case "forgetful":
      case "silent":
        return showPage(savedPage(form));
    }
  }

  const paths = Object.fromEntries(NAMES.map((form) => [`/${form}`, FORMS[form]]));
  const routes = NAMES.flatMap((form) => [
    [`GET /${form}`, () => showPage(settingsPage(form, displayNames[form]))] as const,
    [`POST /${form}`, ({ field }: { field(name: string): string }) => save(form, field("display_name"))] as const,
  ]);
  return {
    state: { displayNames },
    routes: { "GET /": () => showPage(layOutIndex("Settings", paths)), ...Object.fromEntries(routes) },
  };
}

function savedPage(form: LyingForm) {
  return layOut(
    "Saved",
    html`<h1>Saved!</h1><p role="status">Your display name has been saved.</p><p><a href="/${form}">Back to settings</a></p>`,
  );
}

function settingsPage(form: LyingForm, current: string) {
  return layOut(
    "Settings",
    html`<h1>Settings</h1>
    <p>Current display name: <strong>${current}</strong></p>
    <form method="post" action="/${form}">
      <label>Display name <input name="display_name" value="${current}" required></label>
      <button>Save</button>
    </form>
    <p role="status" id="outcome"></p>
    ${(form === "script" || form === "silent") && CLAIM_SCRIPT}`,
  );
}

const CLAIM_SCRIPT = html`<script>
  document.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    if (location.pathname === "/script") {
      await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    }
    document.querySelector("strong").textContent = form.elements.display_name.value;
    document.getElementById("outcome").textContent = "Saved!";
  });
</script>`;
