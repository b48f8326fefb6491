import "prosemirror-view/style/prosemirror.css";
import { exampleSetup } from "prosemirror-example-setup";
import { DOMParser, Schema } from "prosemirror-model";
import { marks, nodes } from "prosemirror-schema-basic";
import { addListNodes } from "prosemirror-schema-list";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { DOCUMENT, layOut } from "./_document.ts";

const plain = new Schema({ nodes, marks });
const schema = new Schema({ nodes: addListNodes(plain.spec.nodes, "paragraph block*", "block"), marks });

const { body, notes } = layOut(() => ({ body: read(bodyView), notes: read(notesView) }));
const bodyView = mount(body, "Body", DOCUMENT);
const notesView = mount(notes, "Notes", "");

function mount(place: HTMLElement, label: string, html: string): EditorView {
  const source = document.createElement("div");
  source.innerHTML = html;
  const doc = DOMParser.fromSchema(schema).parse(source);
  const state = EditorState.create({ doc, plugins: exampleSetup({ schema, menuBar: false }) });
  return new EditorView(place, {
    state,
    attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label },
  });
}

function read({ state, dom }: EditorView) {
  const text = state.doc.textBetween(0, state.doc.content.size, "\n\n", (leaf) =>
    leaf.type.name === "hard_break" ? "\n" : "",
  );
  return { text, json: state.doc.toJSON(), html: dom.innerHTML };
}
