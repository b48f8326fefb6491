import * as monaco from "monaco-editor/editor/editor.main";
import { layOut, PROGRAM } from "./_document.ts";

const { body, notes } = layOut(() => ({ body: bodyEditor.getValue(), notes: notesEditor.getValue() }), "200px");
// The two ways in which it takes input: the EditContext of the browser, and a text area that nobody sees.
const bodyEditor = mount(body, { ariaLabel: "Body", value: PROGRAM });
const notesEditor = mount(notes, { ariaLabel: "Notes", editContext: false });

function mount(place: HTMLElement, more: monaco.editor.IStandaloneEditorConstructionOptions) {
  return monaco.editor.create(place, { language: "javascript", ...more });
}
