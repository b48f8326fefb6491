import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { $generateHtmlFromNodes, $generateNodesFromDOM } from "@lexical/html";
import { LinkNode } from "@lexical/link";
import { ListItemNode, ListNode, registerList } from "@lexical/list";
import { HeadingNode, QuoteNode, registerRichText } from "@lexical/rich-text";
import { $getRoot, $insertNodes, createEditor, type LexicalEditor } from "lexical";
import { DOCUMENT, layOut } from "./_document.ts";

const { body, notes } = layOut(() => ({ body: read(bodyEditor), notes: read(notesEditor) }));
const bodyEditor = mount(body, "Body", DOCUMENT);
const notesEditor = mount(notes, "Notes", "");

function mount(place: HTMLElement, label: string, html: string): LexicalEditor {
  const host = place.appendChild(document.createElement("div"));
  for (const [name, value] of [
    ["contenteditable", "true"],
    ["role", "textbox"],
    ["aria-multiline", "true"],
    ["aria-label", label],
  ] as const) {
    host.setAttribute(name, value);
  }
  const editor = createEditor({
    namespace: label,
    nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode],
    theme: { text: { bold: "bold", italic: "italic" } },
    onError: (error) => {
      throw error;
    },
  });
  editor.setRootElement(host);
  registerRichText(editor);
  registerList(editor);
  editor.update(
    () => {
      const nodes = $generateNodesFromDOM(editor, new DOMParser().parseFromString(html, "text/html"));
      $getRoot().clear().select();
      $insertNodes(nodes);
    },
    { discrete: true, tag: "historic" },
  );
  registerHistory(editor, createEmptyHistoryState(), 300);
  return editor;
}

function read(editor: LexicalEditor) {
  return editor.read(() => ({
    text: $getRoot().getTextContent(),
    json: editor.getEditorState().toJSON(),
    html: $generateHtmlFromNodes(editor),
  }));
}
