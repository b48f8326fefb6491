import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import type { Setup } from "../../../../src/contract/console/account.ts";
import { useCreateOwner } from "../../api/account.ts";
import { ConsoleError } from "../../api/client.ts";
import { Brand } from "../../components/icons.tsx";
import { findPasswordProblem, PASSWORD_RULE } from "../settings/password-rule.ts";

/** Whoever comes first: one form, and then the first errand. */
export function SetupPage({ setup }: { setup: Setup }) {
  useEffect(() => {
    document.title = "Welcome · Errand";
  }, []);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Brand size={32} />
        <Stack gap={6}>
          <Title order={1} size="h2">
            Welcome to Errand
          </Title>
          <Text c="dimmed">
            Nobody owns this installation yet. Make your account, and then watch a first errand being run.
          </Text>
        </Stack>
        <Card withBorder padding="lg" component="section" aria-label="Your account">
          <OwnerForm needsCode={setup.needs_code} />
        </Card>
        <Text size="xs" c="dimmed">
          The account stays on this machine. You can add other owners later, in the settings.
        </Text>
      </Stack>
    </Center>
  );
}

function OwnerForm({ needsCode }: { needsCode: boolean }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [passwordProblem, setPasswordProblem] = useState<string | null>(null);
  const creation = useCreateOwner();
  const mistakes = sortMistakes(creation.error);
  const isClaimed = creation.error instanceof ConsoleError && creation.error.code === "ALREADY_CLAIMED";

  function submit(event: FormEvent) {
    event.preventDefault();
    const problem = findPasswordProblem(password);
    setPasswordProblem(problem);
    if (problem === null) creation.mutate({ email, password, ...(needsCode ? { code: code.trim() } : {}) });
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          autoFocus
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={mistakes.email}
        />
        <PasswordInput
          label="Password"
          description={PASSWORD_RULE}
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={passwordProblem ?? mistakes.password}
        />
        {needsCode && (
          <TextInput
            label="Setup code"
            description={
              <>
                You are not at the machine that Errand runs on. The code stands there, where the service was started,
                and in its log: look for <Code>setup code</Code>.
              </>
            }
            autoCapitalize="none"
            spellCheck={false}
            maxLength={100}
            required
            withAsterisk={false}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={mistakes.code}
          />
        )}
        {mistakes.other !== undefined && (
          <Text role="alert" c="red" size="sm">
            {mistakes.other} {isClaimed && <Anchor href="/sign-in?return_to=/console">Sign in</Anchor>}
          </Text>
        )}
        <Button type="submit" size="md" loading={creation.isPending} fullWidth>
          Create the account
        </Button>
      </Stack>
    </form>
  );
}

type Place = "email" | "password" | "code" | "other";

/** What was refused, at the field it is about. The service names the field or speaks of it. */
function sortMistakes(error: Error | null): Partial<Record<Place, string>> {
  if (error === null) return {};
  const details = error instanceof ConsoleError ? error.details : [];
  const named = details.flatMap(({ path, message }): [Place, string][] => {
    const place = placeOf(path);
    return place === "other" ? [] : [[place, message]];
  });
  return named.length > 0 ? Object.fromEntries(named) : { [placeOf(error.message)]: error.message };
}

function placeOf(words: string): Place {
  if (/\bcode\b/i.test(words)) return "code";
  if (/e-?mail/i.test(words)) return "email";
  return /password/i.test(words) ? "password" : "other";
}
