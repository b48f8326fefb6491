import type { ActionCall } from "./actions/action-report.ts";
import { redactUrl } from "./redact-url.ts";

const MAX_LENGTH = 80;

/** An action in a few words, for people: click "Place order". */
export function describeCall({ action, input }: ActionCall): string {
  const { label, url, text, key, keys } = input;
  if (typeof label === "string" && label !== "") return `${action} "${shorten(label)}"`;
  if (typeof url === "string") return `${action} ${redactUrl(url)}`;
  const detail = [text, key, keys].find((value) => typeof value === "string");
  return typeof detail === "string" ? `${action} "${shorten(detail)}"` : action;
}

function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
