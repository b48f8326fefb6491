import { readNumber, readRecords, readText } from "./read-data.ts";

/** One thing that a run changed, or may have changed, outside itself. */
export interface ChangeMade {
  type: string;
  method: string;
  url: string;
  status: number | null;
  step: number | null;
  cause: string;
  isFirstParty: boolean;
  /** What else is told: the name of a file, the question of a dialog. */
  detail: string;
}

const KINDS: Record<string, string> = {
  request: "Request",
  form_submission: "Form sent",
  websocket: "Live connection",
  upload: "Upload",
  download: "Download",
  dialog: "Dialog accepted",
};

export function readChanges(value: unknown): ChangeMade[] {
  return readRecords(value).map((change) => ({
    type: readText(change["type"]),
    method: readText(change["method"]),
    url: readText(change["url"]),
    status: readNumber(change["status"]),
    step: readNumber(change["step"]),
    cause: readText(change["cause"]),
    isFirstParty: change["first_party"] !== false,
    detail: readDetail(change),
  }));
}

export function tellKind(type: string): string {
  return Object.hasOwn(KINDS, type) ? (KINDS[type] ?? type) : type.replaceAll("_", " ");
}

function readDetail({ type, name, message, count }: Record<string, unknown>): string {
  if (type === "left_out") return `${readNumber(count) ?? "some"} more are not listed`;
  return readText(name) || readText(message);
}
