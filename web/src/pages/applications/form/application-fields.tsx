import { Checkbox, Fieldset, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import type { FieldMistakes } from "../../../parts/field-mistakes.ts";
import type { ApplicationDraft } from "./application-draft.ts";

interface FieldsProps {
  draft: ApplicationDraft;
  mistakes: FieldMistakes<keyof ApplicationDraft>["byField"];
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
