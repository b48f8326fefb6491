import {
  Alert,
  Anchor,
  Button,
  Card,
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { useMe } from "../../api/account.ts";
import { Code } from "../../components/copy.tsx";

interface AuthLinkCardProps {
  application: ConsoleApplication;
  form: AuthLinkForm;
}

/** The authorization link, ready to copy, with the form that builds it. */
export function AuthLinkCard({ application, form }: AuthLinkCardProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="auth-link">
      <Title order={2} size="h4" id="auth-link">
        Authorization link
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Send people to this link. They agree{application.sign_in_url !== null && ", sign in to the site"} and return to
        your application with a code that you exchange for their token.
      </Text>
      {application.redirect_uris.length === 0 ? (
        <Alert color="yellow" title="Add a redirect URL first">
          People return to your application at this URL. Add one in the{" "}
          <Anchor component={Link} href={`/applications/${application.id}/settings`} inherit underline="always">
            settings
          </Anchor>
          .
        </Alert>
      ) : (
        <Builder application={application} form={form} />
      )}
    </Card>
  );
}

function Builder({
  application,
  form: { parts, link, isPkceUnavailable, change, setUsesPkce, renew },
}: AuthLinkCardProps) {
  return (
    <Stack>
      <div className="code-wraps">
        <Code>{link}</Code>
      </div>
      <Group gap="sm">
        <Button component="a" href={link} target="_blank" rel="noreferrer">
          Try it
        </Button>
        <Button variant="default" onClick={renew}>
          Regenerate state and verifier
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Redirect URL"
          description="Where people return to."
          data={application.redirect_uris}
          value={parts.redirectUri}
          onChange={(event) => change({ redirectUri: event.currentTarget.value })}
        />
        <TextInput
          label="State"
          description="Returned unchanged. Compare it with the value you sent."
          value={parts.state}
          maxLength={500}
          spellCheck={false}
          onChange={(event) => change({ state: event.currentTarget.value })}
        />
        <TextInput
          label="Email address"
          description="Optional. Filled in on the sign-in page."
          type="email"
          placeholder="person@example.com"
          maxLength={254}
          value={parts.loginHint}
          onChange={(event) => change({ loginHint: event.currentTarget.value })}
        />
        <Checkbox
          label="PKCE"
          description={
            application.require_pkce
              ? "Required by this application."
              : "Only the holder of the verifier can use the code."
          }
          checked={parts.pkce !== null}
          disabled={application.require_pkce || isPkceUnavailable}
          onChange={(event) => setUsesPkce(event.currentTarget.checked)}
          mt={{ sm: "xl" }}
        />
      </SimpleGrid>
      {isPkceUnavailable && (
        <Alert color="yellow" title="PKCE isn't available on this page">
          Browsers can compute the challenge only on https or localhost. Your program creates its own anyway, as in the
          example below.
        </Alert>
      )}
      {parts.pkce !== null && (
        <div>
          <Text size="sm" fw={500}>
            Code verifier
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            Keep it until the person returns. You need it to exchange the code.
          </Text>
          <Code>{parts.pkce.verifier}</Code>
        </div>
      )}
    </Stack>
  );
}

export interface AuthLinkForm {
  parts: AuthLinkParts;
  link: string;
  /** The browser offers no cryptography on this page. */
  isPkceUnavailable: boolean;
  change: (changes: Partial<Pick<AuthLinkParts, "redirectUri" | "state" | "loginHint">>) => void;
  setUsesPkce: (uses: boolean) => void;
  renew: () => void;
}

/** State and PKCE are random each time: every authorization needs its own. */
export function useAuthLink(application: ConsoleApplication): AuthLinkForm {
  const { public_url } = useMe();
  const [round, setRound] = useState(0);
  const [usesPkce, setUsesPkce] = useState(true);
  const [generated, setGenerated] = useState<{ pkce: Pkce | null } | null>(null);
  const [chosen, setChosen] = useState({ redirectUri: "", state: randomText(), loginHint: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round creates new ones
  useEffect(() => {
    let isCurrent = true;
    void newPkce().then((pkce) => {
      if (isCurrent) setGenerated({ pkce });
    });
    return () => {
      isCurrent = false;
    };
  }, [round]);
  const redirectUri = application.redirect_uris.includes(chosen.redirectUri)
    ? chosen.redirectUri
    : (application.redirect_uris[0] ?? "");
  const needsPkce = usesPkce || application.require_pkce;
  const parts: AuthLinkParts = {
    ...chosen,
    publicUrl: public_url,
    clientId: application.id,
    redirectUri,
    pkce: needsPkce ? (generated?.pkce ?? null) : null,
  };
  return {
    parts,
    link: buildAuthLink(parts),
    isPkceUnavailable: generated !== null && generated.pkce === null,
    change: (changes) => setChosen((before) => ({ ...before, ...changes })),
    setUsesPkce,
    renew() {
      setRound((before) => before + 1);
      setChosen((before) => ({ ...before, state: randomText() }));
    },
  };
}

export interface AuthLinkParts {
  publicUrl: string;
  clientId: string;
  redirectUri: string;
  state: string;
  /** Filled in on the sign-in page. */
  loginHint: string;
  pkce: Pkce | null;
}

function buildAuthLink({ publicUrl, clientId, redirectUri, state, loginHint, pkce }: AuthLinkParts): string {
  const parameters = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri });
  if (state !== "") parameters.set("state", state);
  if (pkce !== null) {
    parameters.set("code_challenge", pkce.challenge);
    parameters.set("code_challenge_method", "S256");
  }
  if (loginHint !== "") parameters.set("login_hint", loginHint);
  return `${publicUrl}/v1/oauth/authorize?${parameters}`;
}

interface Pkce {
  verifier: string;
  challenge: string;
}

const RANDOM_BYTES = 32;

/** Null where the browser offers no cryptography: on a page that is neither https nor localhost. */
async function newPkce(): Promise<Pkce | null> {
  if (globalThis.crypto.subtle === undefined) return null;
  const verifier = randomText();
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(digest)) };
}

/** An unguessable state or verifier. */
function randomText(): string {
  return toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
