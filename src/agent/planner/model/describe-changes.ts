import type { ActionReport } from "../../actions/action-report.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import { describeReport, pathOf } from "./history.ts";

const MAX_ADDED = 15;
const MAX_REMOVED = 6;
const MAX_EVENTS = 5;
const MAX_LINE = 160;
/** Of everything that was read in a turn: a little more than one part of what `read` answers. */
const MAX_DATA_CHARS = 9_000;

/** What these answer is told elsewhere: a picture, an address with its status. */
const SILENT: ReadonlySet<string> = new Set(["look", "goto"]);

/** What the last actions changed, and what they read. All of it is from the page. */
export function describeChanges(reports: readonly ActionReport[]): string[] {
  let left = MAX_DATA_CHARS;
  return reports.flatMap((report) => {
    const data = describeData(report, left);
    left -= data.reduce((total, line) => total + line.length, 0);
    return [
      describeReport(report),
      ...describeFailure(report),
      ...describeEvents(report),
      ...describeLines(report),
      ...data,
    ];
  });
}

function describeFailure({ failure }: ActionReport): string[] {
  return failure === null ? [] : [`  ${toOneLine(failure.message, 400)}`];
}

function describeEvents({ events }: ActionReport): string[] {
  const { dialogs, downloads, openedTabs, refusedHosts } = events;
  return [
    ...tellSome(
      "dialogs",
      dialogs,
      ({ dialog, answer }) => `  ${dialog.kind} "${toOneLine(dialog.message, 200)}": ${answer ?? "still open"}`,
    ),
    ...tellSome(
      "downloads",
      downloads,
      ({ name, bytes, refusal }) => `  downloaded "${toOneLine(name, 80)}", ${refusal ?? `${bytes} bytes`}`,
    ),
    ...tellSome("tabs", openedTabs, (id) => `  opened tab ${id}`),
    ...refusedHosts.slice(0, 3).map((host) => `  not allowed: ${toOneLine(host, 80)}`),
  ];
}

/** The latest ones, since one of them may still be open. */
function tellSome<T>(what: string, events: readonly T[], describe: (event: T) => string): string[] {
  const left = events.length - MAX_EVENTS;
  return [...events.slice(-MAX_EVENTS).map(describe), ...(left > 0 ? [`  and ${left} more ${what} before`] : [])];
}

/** Of a new page nothing is told: it follows as a whole. */
function describeLines({ urlBefore, urlAfter, added, removed, failure, data }: ActionReport): string[] {
  if (pathOf(urlBefore) !== pathOf(urlAfter)) return [];
  if (added.length === 0 && removed.length === 0)
    return failure === null && data === null ? ["  the page is as before"] : [];
  return [...tell("+", added, MAX_ADDED), ...tell("-", removed, MAX_REMOVED)];
}

function tell(sign: string, lines: readonly string[], max: number): string[] {
  const told = lines.slice(0, max).map((line) => `  ${sign} ${toOneLine(line, MAX_LINE)}`);
  return lines.length > max ? [...told, `  ${sign} … ${lines.length - max} more lines`] : told;
}

function describeData({ data, call }: ActionReport, maxChars: number): string[] {
  if (data === null || data === undefined || SILENT.has(call.action)) return [];
  const text = readableData(data);
  if (text.length <= maxChars) return [text];
  return [`${text.slice(0, Math.max(maxChars, 0))}… (cut: read or find fewer things in one turn)`];
}

function readableData(data: unknown): string {
  if (typeof data !== "object" || data === null) return String(data);
  if ("text" in data && typeof data.text === "string") {
    const next =
      "next_offset" in data && typeof data.next_offset === "number" ? `\n(goes on: offset ${data.next_offset})` : "";
    return `${data.text}${next}`;
  }
  return "matches" in data && Array.isArray(data.matches)
    ? data.matches.map((match) => toOneLine(describeMatch(match), 300)).join("\n")
    : toOneLine(JSON.stringify(data), 500);
}

function describeMatch(match: unknown): string {
  const { ref, line, within } = match as { ref: string | null; line: string; within: string | null };
  return `${ref ?? "-"} ${line}${within === null ? "" : ` in: ${within}`}`;
}
