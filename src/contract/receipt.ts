/** The side effects of an execution in words. Used by the command line and, in the browser, by the console. */
export interface Receipt {
  /** What was done, as far as the site did not reject it. */
  readonly done: readonly ReceiptLine[];
  readonly rejected: readonly ReceiptLine[];
}

export interface ReceiptLine {
  readonly text: string;
  /** The requests, downloads and so on behind it: technical details. */
  readonly sideEffects: readonly Entry[];
}

type Entry = Readonly<Record<string, unknown>>;

/** The first status that says that the site did not do it. */
const REJECTED_FROM = 400;

/** Side effects may be truncated and contain text from pages, so every field is read defensively. */
export function writeReceipt(sideEffects: unknown): Receipt {
  const entries = Array.isArray(sideEffects) ? sideEffects.filter(isEntry) : [];
  return {
    done: toLines(entries.filter((entry) => !isRejected(entry))),
    rejected: toLines(entries.filter(isRejected)),
  };
}

/** One line for each thing that was done. Other requests of the same step belong to the line that describes the step. */
function toLines(entries: readonly Entry[]): ReceiptLine[] {
  const described = new Map(
    entries.flatMap((entry) => (hasDescription(entry) ? [[entry["step"], textOf(entry["description"])] as const] : [])),
  );
  const lines = Map.groupBy(entries, (entry) => {
    if (hasDescription(entry)) return textOf(entry["description"]);
    const isRequest = REQUESTS.has(textOf(entry["type"])) && entry["first_party"] !== false;
    return (isRequest ? described.get(entry["step"]) : undefined) ?? describe(entry);
  });
  return [...lines].map(([text, behind]) => ({ text, sideEffects: behind }));
}

const REQUESTS = new Set(["request", "form_submission", "websocket"]);

/** A plain sentence for what has no description. */
function describe(entry: Entry): string {
  const { name, message, count, kept } = entry;
  const host = URL.parse(textOf(entry["url"]))?.host ?? "the site";
  const where = entry["first_party"] === false ? `${host}, another site` : host;
  switch (entry["type"]) {
    case "form_submission":
      return `Sent a form to ${where}${describeCause(entry)}`;
    case "request":
      return `Sent data to ${where}${describeCause(entry)}`;
    case "websocket":
      return `Sent messages to ${where}${describeCause(entry)}`;
    case "upload":
      return `Uploaded a file to ${where}`;
    case "download":
      return `Downloaded ${textOf(name) || "a file"} from ${where}${kept === false ? ", which was not kept" : ""}`;
    case "dialog":
      return textOf(message) === "" ? `Confirmed a question on ${where}` : `Confirmed “${textOf(message)}” on ${where}`;
    case "left_out":
      return typeof count === "number" ? `${count} more, not listed` : "More, not listed";
    default:
      return `${textOf(entry["type"]).replaceAll("_", " ")} on ${where}`;
  }
}

function describeCause({ step, cause }: Entry): string {
  const isOfPage = step === 0;
  return textOf(cause) === "" || isOfPage ? "" : `: ${textOf(cause)}`;
}

/** The name of the click that did it says nothing about what was done. */
function hasDescription({ description, cause }: Entry): boolean {
  return textOf(description) !== "" && textOf(description).toLowerCase() !== textOf(cause).toLowerCase();
}

function isRejected({ status }: Entry): boolean {
  return typeof status === "number" && status >= REJECTED_FROM;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
