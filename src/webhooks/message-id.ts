import { parseUuid } from "../lib/uuid.ts";

const PREFIX = "msg_";

/** As receivers and the log know a delivery. */
export function writeMessageId(deliveryId: string): string {
  return PREFIX + deliveryId;
}

/** Null when the text is no such id. */
export function parseMessageId(text: string): string | null {
  return text.startsWith(PREFIX) ? parseUuid(text.slice(PREFIX.length)) : null;
}
