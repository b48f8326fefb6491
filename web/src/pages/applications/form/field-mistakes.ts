import { ConsoleError } from "../../../api/console-error.ts";
import type { ApplicationDraft } from "./application-draft.ts";

export interface FieldMistakes {
  byField: Partial<Record<keyof ApplicationDraft, string>>;
  /** What belongs to no field, such as a service that does not answer. */
  other: Error | null;
}

const FIELDS: Record<string, keyof ApplicationDraft> = {
  type: "type",
  name: "name",
  redirect_uris: "redirectUris",
  home_url: "homeUrl",
  sign_in_url: "signInUrl",
  signed_in_url: "signedInUrl",
  signed_in_text: "signedInText",
  signed_out_text: "signedOutText",
  allowed_hosts: "allowedHosts",
  access: "isReadOnly",
  require_pkce: "requirePkce",
};

/** What the service has refused, at the field it is about; an entry of a list at the list. */
export function sortMistakes(error: Error | null): FieldMistakes {
  const details = error instanceof ConsoleError ? error.details : [];
  const byField: FieldMistakes["byField"] = {};
  for (const { path, message } of details) {
    const field = FIELDS[/[a-z_]+/.exec(path)?.[0] ?? ""];
    if (field === undefined) return { byField: {}, other: error };
    const sentence = message.replace(/^must /, "It must ");
    byField[field] = byField[field] === undefined ? sentence : `${byField[field]}\n${sentence}`;
  }
  return { byField, other: details.length === 0 ? error : null };
}
