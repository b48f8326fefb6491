import { Anchor, Button, Card, Center, Code, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import type { Setup } from "../../../../src/contract/console/account.ts";
import { useCreateOwner } from "../../api/account.ts";
import { ConsoleError } from "../../api/client.ts";
import { groupByField } from "../../components/draft-form.ts";
import { Brand } from "../../components/icons.tsx";
import { findPasswordProblem, PASSWORD_RULE } from "../settings/password-rule.ts";

/** Creates the first owner's account on a new installation. */
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
            This installation doesn't have an owner yet. Create your account, then watch your first errand run.
          </Text>
        </Stack>
        <Card withBorder padding="lg" component="section" aria-label="Your account">
          <OwnerForm needsCode={setup.needs_code} />
        </Card>
        <Text size="xs" c="dimmed">
          Your account is stored on this installation only. You can add more owners later in Settings.
        </Text>
      </Stack>
    </Center>
  );
}

const FIELDS = { email: "email", password: "password", code: "code" } as const;

function OwnerForm({ needsCode }: { needsCode: boolean }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [passwordProblem, setPasswordProblem] = useState<string | null>(null);
  const creation = useCreateOwner();
  const errorCode = creation.error instanceof ConsoleError ? creation.error.code : null;
  const isWrongCode = errorCode === "FORBIDDEN";
  const { byField, other } = groupByField(creation.error, FIELDS);

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
          label="Email address"
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
          error={byField.email}
        />
        <PasswordInput
          label="Password"
          description={PASSWORD_RULE}
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={passwordProblem ?? byField.password}
        />
        {needsCode && (
          <TextInput
            label="Setup code"
            description={
              <>
                You're connecting from another machine, so Errand needs to check that this installation is yours. The
                code is in the terminal where you started the service and in its log. Look for <Code>setup code</Code>.
              </>
            }
            autoCapitalize="none"
            spellCheck={false}
            maxLength={100}
            required
            withAsterisk={false}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={isWrongCode ? other?.message : byField.code}
          />
        )}
        {other !== null && !isWrongCode && (
          <Text role="alert" c="red" size="sm">
            {other.message}{" "}
            {errorCode === "ALREADY_CLAIMED" && <Anchor href="/sign-in?return_to=/console">Sign in</Anchor>}
          </Text>
        )}
        <Button type="submit" size="md" loading={creation.isPending} fullWidth>
          Create account
        </Button>
      </Stack>
    </form>
  );
}
