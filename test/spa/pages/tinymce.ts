import tinymce, { type Editor } from "tinymce";
import "tinymce/models/dom";
import "tinymce/themes/silver";
import "tinymce/icons/default";
import "tinymce/plugins/lists";
import "tinymce/plugins/link";
import "tinymce/skins/ui/oxide/skin.js";
import "tinymce/skins/ui/oxide/content.js";
import "tinymce/skins/content/default/content.js";
import { DOCUMENT, layOut } from "./_document.ts";

const editors = new Map<string, Editor>();
const { body, notes } = layOut(() => ({ body: read("Body"), notes: read("Notes") }));
await mount(body, "Body", DOCUMENT);
await mount(notes, "Notes", "");

async function mount(place: HTMLElement, label: string, html: string): Promise<void> {
  const source = place.appendChild(document.createElement("textarea"));
  source.value = html;
  const [editor] = await tinymce.init({
    target: source,
    license_key: "gpl",
    height: 300,
    menubar: false,
    plugins: "lists link",
    toolbar: "bold",
    promotion: false,
    iframe_aria_text: label,
  });
  if (editor !== undefined) editors.set(label, editor);
}

function read(label: string) {
  const editor = editors.get(label);
  return { text: editor?.getContent({ format: "text" }), html: editor?.getContent() };
}
