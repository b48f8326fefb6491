import type { ExecutionQuery } from "../contract/console/executions.ts";
import { invalidRequest } from "../executions/create-request.ts";
import { isStorableText } from "../lib/text.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { ExecutionFilter } from "./execution-store.ts";

/** Everything about the query that its schema cannot say. */
export function readFilter(query: ExecutionQuery): ExecutionFilter {
  return {
    status: query.status ?? null,
    outcome: readText("outcome", query.outcome),
    applicationId: readId("application_id", query.application_id),
    connectionId: readId("connection_id", query.connection_id),
    text: readText("text", query.text),
    since: readTime("since", query.since),
    until: readTime("until", query.until),
  };
}

function readText(name: string, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  return isStorableText(text) ? text : fail(name, "must not contain NUL characters or lone surrogates");
}

function readId(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  return parseUuid(text) ?? fail(name, "must be an id");
}

/** RFC 3339 knows moments that no clock of ours shows, such as leap seconds. */
function readTime(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? fail(name, "must be a date and a time that exist") : time;
}

function fail(path: string, message: string): never {
  throw invalidRequest([{ path, message }]);
}
