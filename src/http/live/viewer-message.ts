import { Ajv2020 } from "ajv/dist/2020.js";
import { ViewerMessage } from "../../contract/live-view.ts";

const ajv = new Ajv2020({ strict: false, logger: false });
const isViewerMessage = ajv.compile<ViewerMessage>(ViewerMessage);

/** What the person's page said; null when it is nothing that such a page says. */
export function parseViewerMessage(text: string): ViewerMessage | null {
  const value = parseJson(text);
  return isViewerMessage(value) ? value : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
