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
  mistakes: FieldErrors<keyof ApplicationDraft>["byField"];
  /** What an application is cannot be changed once it is one. */
  isNew: boolean;
  onChange: (changes: Partial<ApplicationDraft>) => void;
}

type TextField = {
  [Field in keyof ApplicationDraft]: string extends ApplicationDraft[Field] ? Field : never;
}[keyof ApplicationDraft];
const ADDRESS = { type: "url", inputMode: "url", autoCapitalize: "none", spellCheck: false, maxLength: 2_048 } as const;

/** Everything that can be said about an application, each with one line of what it means. */
export function ApplicationFields({ draft, mistakes, isNew, onChange }: FieldsProps) {
  const text = (field: TextField) => ({
    value: draft[field],
    error: mistakes[field],
    errorProps: { className: "error-lines wrap-anywhere" },
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  return (
    <Stack gap="lg">
      <TextInput
        label="Name"
        description="People read it when they are asked to agree. Say who you are and what it is for."
        maxLength={100}
        required
        {...(isNew ? { "data-autofocus": true } : {})}
        {...text("name")}
      />
      {isNew && <TypeField draft={draft} onChange={onChange} />}
      <Textarea
        label="Redirect addresses"
        description="Where people come back to after they have agreed, one per line. A loopback address may use any port."
        placeholder={"https://app.example.com/callback\nhttp://127.0.0.1/callback"}
        classNames={{ input: "mono-lines" }}
        rows={3}
        autoCapitalize="none"
        spellCheck={false}
        {...text("redirectUris")}
      />
      <Fieldset legend="The site it works on">
        <Stack>
          <TextInput
            label="Home page"
            description="Where a run starts unless it is told another address."
            placeholder="https://shop.example.com/"
            {...ADDRESS}
            {...text("homeUrl")}
          />
          <TextInput
            label="Sign-in address"
            description="With one, people sign in to the site by hand when they connect, and runs are signed in as them."
            placeholder="https://shop.example.com/login"
            {...ADDRESS}
            {...text("signInUrl")}
          />
          <Textarea
            label="Allowed hosts"
            description="What a run may visit besides these two, one per line. Without any site, the prompt's own addresses."
            placeholder={"shop.example.com\n*.cdn.example.com"}
            classNames={{ input: "mono-lines" }}
            rows={3}
            autoCapitalize="none"
            spellCheck={false}
            {...text("allowedHosts")}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend="What it may do">
        <Stack>
          <Checkbox
            label="Read only"
            description="Runs look and change nothing: every request that could write is stopped."
            checked={draft.isReadOnly}
            error={mistakes.isReadOnly}
            onChange={(event) => onChange({ isReadOnly: event.currentTarget.checked })}
          />
          <Checkbox
            label="PKCE required"
            description="Refuses authorization links without a code challenge, so that a code alone is worth nothing to a thief."
            checked={draft.requirePkce}
            error={mistakes.requirePkce}
            onChange={(event) => onChange({ requirePkce: event.currentTarget.checked })}
          />
        </Stack>
      </Fieldset>
      <SignInRule draft={draft} mistakes={mistakes} text={text} />
    </Stack>
  );
}

function TypeField({ draft, onChange }: Pick<FieldsProps, "draft" | "onChange">) {
  return (
    <Radio.Group
      label="Type"
      description="It cannot be changed later."
      value={draft.type}
      onChange={(type) => onChange({ type: type === "public" ? "public" : "confidential" })}
    >
      <Stack gap="sm" mt="xs">
        <Radio
          value="confidential"
          label="Confidential"
          description="Runs on a server of yours and can keep a secret there."
        />
        <Radio
          value="public"
          label="Public"
          description="Runs in a browser or on a phone, where everybody could read one."
        />
      </Stack>
    </Radio.Group>
  );
}

interface SignInRuleProps extends Pick<FieldsProps, "draft" | "mistakes"> {
  text: (field: TextField) => object;
}

/** Open when something in it is set or wrong; nobody needs it otherwise. */
function SignInRule({ draft, mistakes, text }: SignInRuleProps) {
  const fields: TextField[] = ["signedInUrl", "signedInText", "signedOutText"];
  const isOfInterest = fields.some((field) => draft[field] !== "" || mistakes[field] !== undefined);
  return (
    <details className="disclosure form-more" {...(isOfInterest ? { open: true } : {})}>
      <summary>More: how a signed-in person is recognised</summary>
      <Stack mt="md">
        <TextInput
          label="Signed-in address"
          description="The page to look at. Left empty, Errand finds one by itself when somebody signs in."
          placeholder="https://shop.example.com/account"
          {...ADDRESS}
          {...text("signedInUrl")}
        />
        <TextInput
          label="Signed-in text"
          description="Words that stand there only for somebody who is signed in."
          placeholder="My orders"
          maxLength={200}
          {...text("signedInText")}
        />
        <TextInput
          label="Signed-out text"
          description="Words that stand there only for strangers."
          placeholder="Register"
          maxLength={200}
          {...text("signedOutText")}
        />
      </Stack>
    </details>
  );
}

/** An application as it stands in the form: lists are text, one entry to a line, and what is not set is empty. */
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
