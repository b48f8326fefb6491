import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { useChangePassword } from "../../api/account.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { findPasswordProblem, PASSWORD_RULE } from "./password-rule.ts";

export function PasswordPanel({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const change = useChangePassword();

  function submit(event: FormEvent) {
    event.preventDefault();
    const found = findPasswordProblem(next);
    setProblem(found);
    if (found !== null) return;
    change.mutate(
      { current_password: current, new_password: next },
      {
        onSuccess() {
          setCurrent("");
          setNext("");
          notifications.show({ title: "Password changed", message: "Your other sessions have been signed out." });
        },
      },
    );
  }

  return (
    <Panel title="Password">
      <form onSubmit={submit}>
        <Stack gap="sm" maw={420}>
          {/* Tells password managers which account this is. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description={PASSWORD_RULE}
            autoComplete="new-password"
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
            error={problem}
          />
          {change.error !== null && <ErrorAlert error={change.error} />}
          <Group>
            <Button type="submit" variant="light" loading={change.isPending} disabled={current === "" || next === ""}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
