import { Type } from "typebox";
import { type Action, ActionFailed, elementInput, isTimeout } from "./action.ts";
import { clickElement } from "./pointer.ts";
import { getEnabledElement } from "./target.ts";

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
    const field = await element.handle.find(findFileField);
    const how = { timeout: TIMEOUT_MS, signal: context.signal };
    if (field !== null) {
      await (await field.toHandle()).setInputFiles(file, how);
      return null;
    }
    const [chooser] = await Promise.all([
      element.handle.frame.page().waitForEvent("filechooser", how).catch(throwNoFileField),
      clickElement(element, { signal: context.signal }),
    ]);
    await chooser.setFiles(file, how);
    return null;
  },
};

/** Runs in the page. */
function findFileField(node: Element): Element | null {
  const control = node.localName === "label" ? ((node as HTMLLabelElement).control ?? node) : node;
  return control.matches("input[type=file]") ? control : control.querySelector("input[type=file]");
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
