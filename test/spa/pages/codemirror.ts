import { javascript } from "@codemirror/lang-javascript";
import { basicSetup, EditorView } from "codemirror";
import { layOut, PROGRAM } from "./_document.ts";

const { body, notes } = layOut(
  () => ({ body: bodyView.state.doc.toString(), notes: notesView.state.doc.toString() }),
  "200px",
);
const bodyView = mount(body, "Body", PROGRAM);
const notesView = mount(notes, "Notes", "");

function mount(parent: HTMLElement, label: string, doc: string): EditorView {
  const look = EditorView.theme({ "&": { height: "100%" } });
  const name = EditorView.contentAttributes.of({ "aria-label": label });
  return new EditorView({ parent, doc, extensions: [basicSetup, javascript(), look, name] });
}
