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

/** The auth link, ready to be copied, and the form that it is built by. */
export function AuthLinkCard({ application, form }: AuthLinkCardProps) {
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="auth-link">
      <Title order={2} size="h4" id="auth-link">
        Authorization link
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Send a person here. They agree{application.sign_in_url !== null && ", sign in to the site"} and come back to you
        with a code, which becomes their token.
      </Text>
      {application.redirect_uris.length === 0 ? (
        <Alert color="yellow" title="It has no redirect address yet">
          People would have nowhere to come back to. Add one in the{" "}
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

function Builder({ application, form: { parts, link, cannotProve, change, setUsesPkce, renew } }: AuthLinkCardProps) {
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
          New state and verifier
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Redirect address"
          description="Where they come back to."
          data={application.redirect_uris}
          value={parts.redirectUri}
          onChange={(event) => change({ redirectUri: event.currentTarget.value })}
        />
        <TextInput
          label="State"
          description="Comes back unchanged: compare it with the one you sent."
          value={parts.state}
          maxLength={500}
          spellCheck={false}
          onChange={(event) => change({ state: event.currentTarget.value })}
        />
        <TextInput
          label="E-mail address"
          description="If you know it: filled in for them on the sign-in page."
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
              ? "This application requires it."
              : "Only whoever holds the verifier can use the code."
          }
          checked={parts.pkce !== null}
          disabled={application.require_pkce || cannotProve}
          onChange={(event) => setUsesPkce(event.currentTarget.checked)}
          mt={{ sm: "xl" }}
        />
      </SimpleGrid>
      {cannotProve && (
        <Alert color="yellow" title="No PKCE from here">
          Browsers compute challenges only on pages with https or on this machine. Your program makes its own anyway, as
          in the example below.
        </Alert>
      )}
      {parts.pkce !== null && (
        <div>
          <Text size="sm" fw={500}>
            Code verifier
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            Keep it until they come back: the code is exchanged together with it.
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
  /** The browser can do no cryptography here. */
  cannotProve: boolean;
  change: (changes: Partial<Pick<AuthLinkParts, "redirectUri" | "state" | "loginHint">>) => void;
  setUsesPkce: (uses: boolean) => void;
  renew: () => void;
}

/** An auth link in the making. State and PKCE are new each time, as they have to be for each person. */
export function useAuthLink(application: ConsoleApplication): AuthLinkForm {
  const { public_url } = useMe();
  const [round, setRound] = useState(0);
  const [usesPkce, setUsesPkce] = useState(true);
  const [made, setMade] = useState<{ pkce: Pkce | null } | null>(null);
  const [chosen, setChosen] = useState({ redirectUri: "", state: randomText(), loginHint: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round makes new ones
  useEffect(() => {
    let isWanted = true;
    void newPkce().then((pkce) => {
      if (isWanted) setMade({ pkce });
    });
    return () => {
      isWanted = false;
    };
  }, [round]);
  const redirectUri = application.redirect_uris.includes(chosen.redirectUri)
    ? chosen.redirectUri
    : (application.redirect_uris[0] ?? "");
  const isProved = usesPkce || application.require_pkce;
  const parts: AuthLinkParts = {
    ...chosen,
    publicUrl: public_url,
    clientId: application.id,
    redirectUri,
    pkce: isProved ? (made?.pkce ?? null) : null,
  };
  return {
    parts,
    link: buildAuthLink(parts),
    cannotProve: made !== null && made.pkce === null,
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

/** Where a person is sent to agree. */
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

/** Null where the browser does no cryptography: on a page that is neither https nor of this machine. */
async function newPkce(): Promise<Pkce | null> {
  if (globalThis.crypto.subtle === undefined) return null;
  const verifier = randomText();
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(digest)) };
}

/** For a state or a verifier: what nobody can guess. */
function randomText(): string {
  return toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
