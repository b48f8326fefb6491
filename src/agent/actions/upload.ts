import type { ElementHandle } from "playwright-core";
import { Type } from "typebox";
import { type Action, ActionFailed, elementInput, isTimeout } from "./action.ts";
import { clickElement } from "./pointer.ts";
import { findFrame, getEnabledElement } from "./target.ts";

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 3000;

const input = Type.Object(
  {
    ...elementInput,
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "^[^/\\\\]+$",
      description: "The name of the file, with its extension and without a path.",
    }),
    content: Type.String({ maxLength: MAX_BYTES, description: "The text of the file, up to 1 MB." }),
  },
  { additionalProperties: false },
);

export const upload: Action<typeof input> = {
  name: "upload",
  description: "a text file",
  input,
  effect: "mutate",
  async run({ name, content }, context) {
    const buffer = Buffer.from(content, "utf8");
    if (buffer.byteLength > MAX_BYTES)
      throw new ActionFailed("invalid_input", 'upload: "content" is larger than 1 MB.');
    const file = { name, mimeType: mediaTypeOf(name), buffer };
    const element = await getEnabledElement(context);
    const field = await findFileField(element.handle);
    const how = { timeout: TIMEOUT_MS, signal: context.signal };
    if (field !== null) {
      await field.setInputFiles(file, how);
      return null;
    }
    const page = (await findFrame(element))?.page();
    if (page === undefined) throw new ActionFailed("stale", "The element is no longer on the page.");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser", how).catch(throwNoFileField),
      clickElement(element, { signal: context.signal }),
    ]);
    await chooser.setFiles(file, how);
    return null;
  },
};

async function findFileField(handle: ElementHandle<Element>): Promise<ElementHandle<Element> | null> {
  const found = await handle.evaluateHandle((node) => {
    const control = node.localName === "label" ? ((node as HTMLLabelElement).control ?? node) : node;
    return control.matches("input[type=file]") ? control : control.querySelector("input[type=file]");
  });
  return found.asElement();
}

function throwNoFileField(error: unknown): never {
  if (!isTimeout(error)) throw error;
  throw new ActionFailed("not_found", "This is not a file field, and a click on it does not open a file chooser.");
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["svg", "image/svg+xml"],
  ["xml", "application/xml"],
]);

function mediaTypeOf(name: string): string {
  return MEDIA_TYPES.get(name.split(".").at(-1)?.toLowerCase() ?? "") ?? "text/plain";
}
