import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The caller's own, if it can stand in a log, else one that nobody else has. */
export function chooseRequestId({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}
