import { Type } from "typebox";
import { ERROR_STATUS, type ErrorCode } from "../../contract/error.ts";

/** The error answers of a route, for OpenAPI: each status with the codes that go with it. */
export function errorAnswers(...codes: ErrorCode[]) {
  const statuses = new Set(codes.map((code) => ERROR_STATUS[code]));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const description = codes
        .filter((code) => ERROR_STATUS[code] === status)
        .map((code) => `\`${code}\``)
        .join(", ");
      return [status, Type.Unsafe({ ...Type.Ref("Error"), description })];
    }),
  );
}

/** What any call with a connection's token can meet. */
export const CONNECTION_ERRORS: ErrorCode[] = [
  "UNAUTHENTICATED",
  "APPLICATION_MISMATCH",
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
];

/** What any call with an application's client id and secret can meet. */
export const APPLICATION_ERRORS: ErrorCode[] = [...CONNECTION_ERRORS, "FORBIDDEN"];

/** What a call with a body can meet. */
export const BODY_ERRORS: ErrorCode[] = ["INVALID_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
