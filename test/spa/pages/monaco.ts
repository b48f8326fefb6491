import * as monaco from "monaco-editor/editor/editor.main";
import { layOut, PROGRAM } from "./_document.ts";

const { body, notes } = layOut(() => ({ body: bodyEditor.getValue(), notes: notesEditor.getValue() }), "200px");
const bodyEditor = mount(body, "Body", PROGRAM);
const notesEditor = mount(notes, "Notes", "");

function mount(place: HTMLElement, ariaLabel: string, value: string): monaco.editor.IStandaloneCodeEditor {
  return monaco.editor.create(place, { value, language: "javascript", ariaLabel });
}
