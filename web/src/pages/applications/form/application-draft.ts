import type {
  ApplicationChanges,
  ConsoleApplication,
  NewApplicationBody,
} from "../../../../../src/contract/console/applications.ts";

/** An application as it stands in the form: lists are text, one entry to a line, and what is not set is empty. */
export interface ApplicationDraft {
  type: "public" | "confidential";
  name: string;
  redirectUris: string;
  homeUrl: string;
  signInUrl: string;
  signedInUrl: string;
  signedInText: string;
  signedOutText: string;
  allowedHosts: string;
  isReadOnly: boolean;
  requirePkce: boolean;
}

/** PKCE is on: no current library is without it, and a code that is overheard is worth nothing then. */
export const BLANK: ApplicationDraft = {
  type: "confidential",
  name: "",
  redirectUris: "",
  homeUrl: "",
  signInUrl: "",
  signedInUrl: "",
  signedInText: "",
  signedOutText: "",
  allowedHosts: "",
  isReadOnly: false,
  requirePkce: true,
};

/** Where each part of it stands on the wire. */
export const APPLICATION_FIELDS: Readonly<Record<string, keyof ApplicationDraft>> = {
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

export function toDraft(application: ConsoleApplication): ApplicationDraft {
  return {
    type: application.type,
    name: application.name,
    redirectUris: application.redirect_uris.join("\n"),
    homeUrl: application.home_url ?? "",
    signInUrl: application.sign_in_url ?? "",
    signedInUrl: application.signed_in_url ?? "",
    signedInText: application.signed_in_text ?? "",
    signedOutText: application.signed_out_text ?? "",
    allowedHosts: application.allowed_hosts.join("\n"),
    isReadOnly: application.access === "read_only",
    requirePkce: application.require_pkce,
  };
}

export function toNewApplication(draft: ApplicationDraft): NewApplicationBody {
  return { type: draft.type, ...toSettings(draft) };
}

/** Only what differs: what somebody else has changed meanwhile stays as they left it. */
export function findChanges(application: ConsoleApplication, draft: ApplicationDraft): ApplicationChanges {
  const before = toSettings(toDraft(application));
  const after = toSettings(draft);
  const names = Object.keys(after) as (keyof ApplicationChanges)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}

function toSettings(draft: ApplicationDraft): Required<ApplicationChanges> {
  return {
    name: draft.name.trim(),
    redirect_uris: toLines(draft.redirectUris),
    home_url: orNull(draft.homeUrl),
    sign_in_url: orNull(draft.signInUrl),
    signed_in_url: orNull(draft.signedInUrl),
    signed_in_text: orNull(draft.signedInText),
    signed_out_text: orNull(draft.signedOutText),
    allowed_hosts: toLines(draft.allowedHosts),
    access: draft.isReadOnly ? "read_only" : "all",
    require_pkce: draft.requirePkce,
  };
}

function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
