import { html } from "../../src/lib/html.ts";
import { layOut } from "./page.ts";
import { redirectTo, type Site, sendJson, showPage } from "./site.ts";

interface DialogsState {
  notes: { readonly id: number; title: string }[];
  draft: string;
}

/** confirm() before deleting, prompt() for a name, alert() after saving, beforeunload on an edited form. */
export function createDialogsSite(): Site<DialogsState> {
  const titles = ["Shopping list", "Holiday plans", "Recipes"];
  const state: DialogsState = { notes: titles.map((title, index) => ({ id: index + 1, title })), draft: "" };
  return {
    state,
    routes: {
      "GET /": () => showPage(notesPage(state)),
      "GET /editor": () => showPage(editorPage(state)),
      "POST /delete": ({ field }) => {
        state.notes = state.notes.filter((note) => String(note.id) !== field("id"));
        return redirectTo("/");
      },
      "POST /rename": ({ field }) => {
        const note = state.notes.find((candidate) => String(candidate.id) === field("id"));
        if (note === undefined) return sendJson({ error: "There is no such note." }, 404);
        note.title = field("title");
        return sendJson(note);
      },
      "POST /draft": ({ field }) => {
        state.draft = field("text");
        return sendJson({ saved: true });
      },
    },
  };
}

function notesPage({ notes }: DialogsState) {
  const items = notes.map(
    (note) => html`<li data-id="${note.id}"><span class="title">${note.title}</span>
      <button type="button" class="rename" aria-label="Rename ${note.title}">Rename</button>
      <form method="post" action="/delete" style="display: inline">
        <input type="hidden" name="id" value="${note.id}">
        <button aria-label="Delete ${note.title}">Delete</button>
      </form></li>`,
  );
  return layOut(
    "Notes",
    html`<h1>Notes</h1><ul>${items}</ul><p><a href="/editor">Write a new note</a></p>
    <script>
      for (const form of document.querySelectorAll("form")) {
        form.addEventListener("submit", (event) => {
          const title = form.closest("li").querySelector(".title").textContent;
          if (!confirm("Delete the note “" + title + "”?")) event.preventDefault();
        });
      }
      for (const button of document.querySelectorAll(".rename")) {
        button.addEventListener("click", async () => {
          const item = button.closest("li");
          const title = prompt("New name for the note", item.querySelector(".title").textContent);
          if (title === null || title === "") return;
          const response = await fetch("/rename", { method: "POST", body: new URLSearchParams({ id: item.dataset.id, title }) });
          if (response.ok) item.querySelector(".title").textContent = title;
        });
      }
    </script>`,
  );
}

function editorPage({ draft }: DialogsState) {
  return layOut(
    "New note",
    html`<h1>New note</h1>
    <form>
      <label>Text <textarea name="text" rows="5" cols="40">${draft}</textarea></label>
      <button>Save draft</button>
    </form>
    <p><a href="/">Back to the notes</a></p>
    <script>
      let isDirty = false;
      const form = document.querySelector("form");
      form.addEventListener("input", () => { isDirty = true; });
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const response = await fetch("/draft", { method: "POST", body: new URLSearchParams(new FormData(form)) });
        if (!response.ok) return;
        isDirty = false;
        alert("Draft saved.");
      });
      window.addEventListener("beforeunload", (event) => { if (isDirty) event.preventDefault(); });
    </script>`,
  );
}
