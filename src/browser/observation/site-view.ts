import { type Observation, type ObservedNode, textOf, walk } from "./observation.ts";

/** The facts of a page that show whether the person is signed in. */
export interface SiteView {
  readonly url: string;
  readonly title: string;
  /** Of the document, when it is known. */
  readonly status: number | null;
  readonly hasPasswordField: boolean;
  readonly hasCodeField: boolean;
  /** The names of links, buttons and menu entries. */
  readonly controls: readonly string[];
  readonly text: string;
}

const CONTROL_ROLES: ReadonlySet<string> = new Set([
  "link",
  "button",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "tab",
]);
const MAX_CONTROLS = 2_000;
const MAX_TEXT = 200_000;

export function toSiteView(
  { url, title, root }: Pick<Observation, "url" | "title" | "root">,
  status: number | null,
): SiteView {
  return {
    url,
    title,
    status,
    hasPasswordField: hasPasswordField(root),
    hasCodeField: walk(root).some(({ node }) => asksForCode(node)),
    controls: nameControls(root),
    text: root.children.map(textOf).filter(Boolean).join(" ").slice(0, MAX_TEXT),
  };
}

/** A field for an existing password. A field for a new password does not count: it belongs to a sign-up or a change. */
export function hasPasswordField(root: ObservedNode): boolean {
  return walk(root).some(({ node }) => node.field?.type === "password" && node.field.autocomplete !== "new-password");
}

export const CODE_LABEL =
  /\b(one[ -]?time|verification|security|authentication|authenticator|confirmation|two[ -]?factor|2fa|sms|login|sign[ -]?in|log[ -]?in)[ -]?(pass)?code\b|\b(otp|totp|one[ -]?time[ -]?pass(word|code)|einmalcode|best[äa]tigungscode|sicherheitscode|code de v[ée]rification|c[óo]digo de verificaci[óo]n)\b/i;

/** A one-time code, the second step of many sign-ins. Voucher and postal codes do not count. */
function asksForCode({ name, field }: ObservedNode): boolean {
  if (field === null) return false;
  return field.autocomplete === "one-time-code" || CODE_LABEL.test(`${name} ${field.key ?? ""}`);
}

function nameControls(root: ObservedNode): string[] {
  const names = walk(root)
    .filter(({ node }) => CONTROL_ROLES.has(node.role))
    .map(({ node }) => node.name || textOf(node))
    .filter((name) => name !== "");
  return [...names.take(MAX_CONTROLS)];
}
