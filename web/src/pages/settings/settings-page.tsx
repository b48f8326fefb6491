import { Stack } from "@mantine/core";
import { useMe } from "../../api/me.ts";
import { PageTitle } from "../../parts/page-title.tsx";
import { ColorSchemePanel } from "./color-scheme-panel.tsx";
import { OwnersPanel } from "./owners-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { StatusPanel } from "./status-panel.tsx";

export function SettingsPage() {
  const { person, is_operator } = useMe();
  return (
    <>
      <PageTitle title="Settings" about={`Signed in as ${person.email}`} />
      <Stack gap="lg" maw={820}>
        {is_operator && <StatusPanel />}
        {is_operator && <OwnersPanel />}
        <PasswordPanel email={person.email} />
        <SessionsPanel />
        <ColorSchemePanel />
      </Stack>
    </>
  );
}
