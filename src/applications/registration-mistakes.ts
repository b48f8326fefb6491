import type { ErrorDetail } from "../lib/caller-error.ts";
import { parseHostPattern } from "../lib/host-pattern.ts";
import { isStorableText } from "../lib/text.ts";
import type { Application } from "./application.ts";
import { refuseRedirectUri } from "./redirect-uri.ts";

export type RegistrationDetails = Omit<Application, "id" | "ownerId" | "createdAt">;

const NAME_MAX_LENGTH = 100;
const TEXT_MAX_LENGTH = 200;
const ADDRESS_MAX_LENGTH = 2_048;

/** All of them at once, by the name of the field. */
export function findMistakes(registration: RegistrationDetails): ErrorDetail[] {
  const { name, redirectUris, allowedHosts, homeUrl, signInUrl, signedInUrl, signedInText, signedOutText } =
    registration;
  return [
    { path: "name", message: refuseText(name.trim(), NAME_MAX_LENGTH) },
    ...redirectUris.map((uri) => ({ path: "redirect_uri", message: named(uri, refuseRedirectUri(uri)) })),
    { path: "home_url", message: refuseAddress(homeUrl) },
    { path: "sign_in_url", message: refuseAddress(signInUrl) },
    { path: "signed_in_url", message: refuseAddress(signedInUrl) },
    { path: "signed_in_text", message: refuseText(signedInText, TEXT_MAX_LENGTH) },
    { path: "signed_out_text", message: refuseText(signedOutText, TEXT_MAX_LENGTH) },
    ...allowedHosts.map((host) => ({ path: "allowed_host", message: refuseHost(host) })),
  ].filter((detail): detail is ErrorDetail => detail.message !== null);
}

function named(value: string, refusal: string | null): string | null {
  return refusal === null ? null : `${value} ${refusal}`;
}

function refuseText(text: string | null, maxLength: number): string | null {
  const isFine = text === null || (text.trim() !== "" && text.length <= maxLength && isStorableText(text));
  return isFine ? null : `must have 1 to ${maxLength} characters`;
}

function refuseAddress(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  const isFine =
    address === null ||
    (url !== null && /^https?:$/.test(url.protocol) && isStorableText(address) && address.length <= ADDRESS_MAX_LENGTH);
  if (!isFine) return `${address} must be an http or https address`;
  // Not repeated: it may be a real one.
  const isPlain = url === null || (url.username === "" && url.password === "");
  return isPlain ? null : "must not have a user name or password";
}

function refuseHost(host: string): string | null {
  return parseHostPattern(host) === null ? `${host} must be a host such as shop.example or *.shop.example` : null;
}
