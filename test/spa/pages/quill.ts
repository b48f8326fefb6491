import "quill/dist/quill.snow.css";
import Quill from "quill";
import { DOCUMENT, layOut } from "./_document.ts";

const { body, notes } = layOut(() => ({ body: read(bodyEditor), notes: read(notesEditor) }));
const bodyEditor = mount(body, "Body", DOCUMENT);
const notesEditor = mount(notes, "Notes", "");

function mount(place: HTMLElement, label: string, html: string): Quill {
  const box = place.appendChild(document.createElement("div"));
  const editor = new Quill(box, { theme: "snow", modules: { toolbar: false } });
  editor.root.setAttribute("role", "textbox");
  editor.root.setAttribute("aria-label", label);
  editor.setContents(editor.clipboard.convert({ html }), "silent");
  editor.history.clear();
  return editor;
}

function read(editor: Quill) {
  return { text: editor.getText(), json: editor.getContents(), html: editor.getSemanticHTML() };
}
