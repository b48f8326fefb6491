import { isSamePage } from "../../captured-pages.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import { redactUrl } from "../../redact-url.ts";
import type { AttributedWrite } from "../../side-effects.ts";
import type { Entry } from "../find-entries.ts";
import type { Change } from "./judge.ts";

const MAX_CHANGES = 100;
/** With more of them each is told in fewer words. */
const MANY = 25;
const MAX_ENTRIES = 8;
const MAX_VALUE = 60;
const MAX_ADDRESS = 160;
const REPORTING = new Set(["ping", "beacon", "cspviolationreport"]);

/** Every write of the run in words; those that are alike are one. */
export function describeChanges(writes: readonly AttributedWrite[], entries: readonly Entry[]): Change[] {
  const fine = [...Map.groupBy(writes, keyOf).values()];
  const groups = fine.length <= MAX_CHANGES ? fine : [...Map.groupBy(writes, coarseKeyOf).values()];
  const told = groups.slice(0, MAX_CHANGES).map((group, index) => ({
    id: `w${index + 1}`,
    text: describe(group, groups.length > MANY ? [] : entries),
    isTechnical: group.every(isTechnical),
    isTold: true,
  }));
  const rest = groups.slice(MAX_CHANGES).flat().length;
  if (rest === 0) return told;
  return [...told, { id: `w${told.length + 1}`, text: `${rest} more requests`, isTechnical: false, isTold: false }];
}

/**
 * What a page sends by itself, by beacon or while it is merely opened and read. A form that it submits is not of that
 * sort, and neither is anything that a step set off by touching the page, wherever it went.
 */
function isTechnical({ write, cause }: AttributedWrite): boolean {
  if (REPORTING.has(write.resourceType)) return true;
  if (!write.isFirstParty) return cause?.effect !== "mutate";
  const isOnlyRead = cause === null || cause.effect === "read" || cause.effect === "navigate";
  return isOnlyRead && !write.isNavigation;
}

function keyOf(attributed: AttributedWrite): string {
  const { write, cause } = attributed;
  const { host, pathname } = URL.parse(write.url) ?? { host: "", pathname: "" };
  const what = [write.method, host, pathname, write.status];
  return JSON.stringify(isTechnical(attributed) ? ["technical", ...what] : [...what, cause?.cause, cause?.url]);
}

/** Where a page sends so much by itself that it would crowd out the rest, only its hosts are told apart. */
function coarseKeyOf(attributed: AttributedWrite): string {
  const { method, url, status } = attributed.write;
  return isTechnical(attributed)
    ? JSON.stringify(["technical", method, URL.parse(url)?.host, status])
    : keyOf(attributed);
}

function describe(group: readonly AttributedWrite[], entries: readonly Entry[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const { write, cause } = first;
  const times = group.length === 1 ? "" : ` (${group.length} times)`;
  const sort = write.isNavigation ? "a form, " : "";
  const status =
    write.status === null ? `no answer${write.failure === null ? "" : `: ${write.failure}`}` : write.status;
  const what = `${write.method} ${toOneLine(redactUrl(write.url), MAX_ADDRESS)}${times}: ${sort}answered ${status}`;
  if (cause === null) return `${what}; sent by the page itself`;
  const typed = entries.filter(({ step, url }) => step <= cause.step && isSamePage(url, cause.url));
  const values = typed
    .slice(-MAX_ENTRIES)
    .map(({ label, value }) => `${toOneLine(label, MAX_VALUE)} = "${toOneLine(value, MAX_VALUE)}"`);
  const entered = values.length === 0 ? "" : `; entered there: ${values.join(", ")}`;
  return `${what}; step ${cause.step}, ${toOneLine(cause.cause, MAX_ADDRESS)}, on ${toOneLine(redactUrl(cause.url), MAX_ADDRESS)}${entered}`;
}
