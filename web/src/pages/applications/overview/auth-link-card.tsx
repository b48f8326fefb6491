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
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { Code } from "../../../parts/code.tsx";
import type { AuthLinkForm } from "./use-auth-link.ts";

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
