import type { ExecutionQuery } from "../../../../src/contract/console/executions.ts";
import type { ExecutionStatus } from "../../../../src/contract/execution.ts";

/** The filter in the URL. Undefined fields match everything. */
export interface ListFilter {
  status?: ExecutionStatus;
  outcome?: string;
  application_id?: string;
  connection_id?: string;
  text?: string;
  /** Relative to now, such as 24h. */
  time?: TimeSpan;
  since?: string;
  until?: string;
}

export const TIME_SPANS = {
  "1h": { label: "Last hour", ms: 3_600_000 },
  "24h": { label: "Last 24 hours", ms: 86_400_000 },
  "7d": { label: "Last 7 days", ms: 7 * 86_400_000 },
  "30d": { label: "Last 30 days", ms: 30 * 86_400_000 },
} as const;
export type TimeSpan = keyof typeof TIME_SPANS;

const STATUSES: ReadonlySet<string> = new Set<ExecutionStatus>(["QUEUED", "RUNNING", "COMPLETED", "FAILED"]);
const TEXT_MAX_LENGTH = 200;
const ID = /^[\w-]{1,36}$/;
const OUTCOME = /^[a-z_]{1,50}$/;

/** Ignores invalid values in the URL. */
export function readFilter(search: string): ListFilter {
  const parameters = new URLSearchParams(search);
  const read = (name: string, isValid: (value: string) => boolean) => {
    const value = parameters.get(name) ?? "";
    return value !== "" && isValid(value) ? { [name]: value } : {};
  };
  return {
    ...read("status", (value) => STATUSES.has(value)),
    ...read("outcome", (value) => OUTCOME.test(value)),
    ...read("application_id", (value) => ID.test(value)),
    ...read("connection_id", (value) => ID.test(value)),
    ...read("text", (value) => value.length <= TEXT_MAX_LENGTH),
    ...read("time", (value) => Object.hasOwn(TIME_SPANS, value)),
    ...read("since", isTimestamp),
    ...read("until", isTimestamp),
  };
}

export function writeFilter(filter: ListFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given).toString();
}

export function toQuery({ time, ...filter }: ListFilter, nowMs: number): ExecutionQuery {
  return time === undefined ? filter : { ...filter, since: new Date(nowMs - TIME_SPANS[time].ms).toISOString() };
}

export function isFiltered(filter: ListFilter): boolean {
  return writeFilter(filter) !== "";
}

function isTimestamp(value: string): boolean {
  return !Number.isNaN(Date.parse(value)) && /^\d{4}-\d\d-\d\dT/.test(value);
}
