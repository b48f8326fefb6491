import { Checkbox, Fieldset, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import type {
  ApplicationChanges,
  ConsoleApplication,
  NewApplicationBody,
} from "../../../../src/contract/console/applications.ts";
import type { FieldErrors } from "../../components/draft-form.ts";

interface FieldsProps {
  draft: ApplicationDraft;
  errors: FieldErrors<keyof ApplicationDraft>["byField"];
  /** The type can only be chosen for a new application. */
  isNew: boolean;
  onChange: (changes: Partial<ApplicationDraft>) => void;
}

type TextField = {
  [Field in keyof ApplicationDraft]: string extends ApplicationDraft[Field] ? Field : never;
}[keyof ApplicationDraft];
const URL_INPUT = {
  type: "url",
  inputMode: "url",
  autoCapitalize: "none",
  spellCheck: false,
  maxLength: 2_048,
} as const;

export function ApplicationFields({ draft, errors, isNew, onChange }: FieldsProps) {
  const text = (field: TextField) => ({
    value: draft[field],
    error: errors[field],
    errorProps: { className: "error-lines wrap-anywhere" },
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  return (
    <Stack gap="lg">
      <TextInput
        label="Name"
        description="Shown to people when they're asked to agree. Say who you are and what it's for."
        maxLength={100}
        required
        {...(isNew ? { "data-autofocus": true } : {})}
        {...text("name")}
      />
      {isNew && <TypeField draft={draft} onChange={onChange} />}
      <Textarea
        label="Redirect URLs"
        description="Where people return to after they agree, one per line. Loopback URLs may use any port."
        placeholder={"https://app.example.com/callback\nhttp://127.0.0.1/callback"}
        classNames={{ input: "mono-lines" }}
        rows={3}
        autoCapitalize="none"
        spellCheck={false}
        {...text("redirectUris")}
      />
      <Fieldset legend="Site">
        <Stack>
          <TextInput
            label="Home page"
            description="Where errands start unless they specify a URL."
            placeholder="https://shop.example.com/"
            {...URL_INPUT}
            {...text("homeUrl")}
          />
          <TextInput
            label="Sign-in URL"
            description="If set, people sign in to the site when they connect, and errands run signed in as them."
            placeholder="https://shop.example.com/login"
            {...URL_INPUT}
            {...text("signInUrl")}
          />
          <Checkbox
            label="Allow stored credentials"
            description="After they sign in, people may store their password, encrypted, so that an expired sign-in renews itself. Switching this off deletes what is stored."
            checked={draft.allowsStoredCredentials}
            error={errors.allowsStoredCredentials}
            onChange={(event) => onChange({ allowsStoredCredentials: event.currentTarget.checked })}
          />
          <Textarea
            label="Allowed hosts"
            description="Other hosts that errands may visit, one per line. If no site is set, errands may visit the URLs they name."
            placeholder={"shop.example.com\n*.cdn.example.com"}
            classNames={{ input: "mono-lines" }}
            rows={3}
            autoCapitalize="none"
            spellCheck={false}
            {...text("allowedHosts")}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Access">
        <Stack>
          <Checkbox
            label="Read-only"
            description="Errands can't change anything. Requests that could write are blocked."
            checked={draft.isReadOnly}
            error={errors.isReadOnly}
            onChange={(event) => onChange({ isReadOnly: event.currentTarget.checked })}
          />
          <Checkbox
            label="Ask before commits"
            description="Errands wait for a person before anything is bought, sent, published or deleted."
            checked={draft.asksBeforeCommits}
            error={errors.asksBeforeCommits}
            onChange={(event) => onChange({ asksBeforeCommits: event.currentTarget.checked })}
          />
          <Checkbox
            label="Require PKCE"
            description="Reject authorization links without a code challenge, so that a stolen code is useless."
            checked={draft.requirePkce}
            error={errors.requirePkce}
            onChange={(event) => onChange({ requirePkce: event.currentTarget.checked })}
          />
          <Checkbox
            label="Allow MCP clients"
            description="Users can connect AI assistants that aren't registered here. Each describes itself, and the user agrees to it by name."
            checked={draft.allowsMcpClients}
            error={errors.allowsMcpClients}
            onChange={(event) => onChange({ allowsMcpClients: event.currentTarget.checked })}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="Recipes">
        <Checkbox
          label="Learn and use recipes"
          description="A verified errand becomes a recipe, and the next one of its kind runs without a model."
          checked={draft.usesRecipes}
          error={errors.usesRecipes}
          onChange={(event) => onChange({ usesRecipes: event.currentTarget.checked })}
        />
      </Fieldset>
      <SignInDetection draft={draft} errors={errors} text={text} />
    </Stack>
  );
}

function TypeField({ draft, onChange }: Pick<FieldsProps, "draft" | "onChange">) {
  return (
    <Radio.Group
      label="Type"
      description="This can't be changed later."
      value={draft.type}
      onChange={(type) => onChange({ type: type === "public" ? "public" : "confidential" })}
    >
      <Stack gap="sm" mt="xs">
        <Radio value="confidential" label="Confidential" description="Runs on your server and can keep a secret." />
        <Radio
          value="public"
          label="Public"
          description="Runs in a browser or a mobile app, where a secret could be read."
        />
      </Stack>
    </Radio.Group>
  );
}

interface SignInDetectionProps extends Pick<FieldsProps, "draft" | "errors"> {
  text: (field: TextField) => object;
}

/** Rarely needed, so it is collapsed unless a field is set or invalid. */
function SignInDetection({ draft, errors, text }: SignInDetectionProps) {
  const fields: TextField[] = ["signedInUrl", "signedInText", "signedOutText"];
  const isOpen = fields.some((field) => draft[field] !== "" || errors[field] !== undefined);
  return (
    <details className="disclosure form-more" {...(isOpen ? { open: true } : {})}>
      <summary>Advanced: sign-in detection</summary>
      <Stack mt="md">
        <TextInput
          label="Signed-in URL"
          description="The page to check. If empty, Errand finds one when someone signs in."
          placeholder="https://shop.example.com/account"
          {...URL_INPUT}
          {...text("signedInUrl")}
        />
        <TextInput
          label="Signed-in text"
          description="Text that appears only when signed in."
          placeholder="My orders"
          maxLength={200}
          {...text("signedInText")}
        />
        <TextInput
          label="Signed-out text"
          description="Text that appears only when signed out."
          placeholder="Register"
          maxLength={200}
          {...text("signedOutText")}
        />
      </Stack>
    </details>
  );
}

/** The form's values. Lists are text with one entry per line, and unset values are empty. */
interface ApplicationDraft {
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
  asksBeforeCommits: boolean;
  requirePkce: boolean;
  allowsMcpClients: boolean;
  allowsStoredCredentials: boolean;
  usesRecipes: boolean;
}

/** PKCE is on by default: every current OAuth library supports it. */
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
  asksBeforeCommits: false,
  requirePkce: true,
  allowsMcpClients: false,
  allowsStoredCredentials: false,
  usesRecipes: true,
};

/** API field names. */
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
  approval: "asksBeforeCommits",
  require_pkce: "requirePkce",
  mcp_clients: "allowsMcpClients",
  stored_credentials: "allowsStoredCredentials",
  recipes: "usesRecipes",
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
    asksBeforeCommits: application.approval === "commits",
    requirePkce: application.require_pkce,
    allowsMcpClients: application.mcp_clients,
    allowsStoredCredentials: application.stored_credentials,
    usesRecipes: application.recipes,
  };
}

export function toNewApplication(draft: ApplicationDraft): NewApplicationBody {
  return { type: draft.type, ...toSettings(draft) };
}

/** Only the differences, so that others' concurrent changes are kept. */
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
    approval: draft.asksBeforeCommits ? "commits" : "never",
    require_pkce: draft.requirePkce,
    mcp_clients: draft.allowsMcpClients,
    stored_credentials: draft.allowsStoredCredentials,
    recipes: draft.usesRecipes,
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
