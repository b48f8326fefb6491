import { isStorableText } from "../lib/text.ts";
import { OAuthError } from "./oauth-error.ts";

/** Parameters of a query or a form, each at most once. One without a value counts as absent (RFC 6749 §3.1). */
export type Parameters = Record<string, string>;

const PARAMETER_MAX_LENGTH = 4_096;

export function readParameters(raw: Record<string, unknown>): Parameters {
  const parameters: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value !== "string")
      throw new OAuthError("invalid_request", `The parameter ${name.slice(0, 50)} is repeated. Send it once.`);
    if (value.length > PARAMETER_MAX_LENGTH)
      throw new OAuthError("invalid_request", `The parameter ${name.slice(0, 50)} is too long.`);
    if (!isStorableText(value))
      throw new OAuthError(
        "invalid_request",
        `The parameter ${name.slice(0, 50)} has characters that are not allowed.`,
      );
    if (value !== "") parameters[name] = value;
  }
  return parameters;
}

export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}
