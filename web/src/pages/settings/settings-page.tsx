import { type MantineColorScheme, SegmentedControl, Stack, useMantineColorScheme } from "@mantine/core";
import { useMe } from "../../api/account.ts";
import { PageTitle, Panel } from "../../components/page.tsx";
import { KeysPanel } from "./keys-panel.tsx";
import { OwnersPanel } from "./owners-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { StatusPanel } from "./status-panel.tsx";

export function SettingsPage() {
  const { person, owner, is_operator } = useMe();
  return (
    <>
      <PageTitle title="Settings" about={`Signed in as ${person.email}`} />
      <Stack gap="lg" maw={820}>
        {is_operator && <StatusPanel />}
        {is_operator && <OwnersPanel />}
        {owner !== null && <KeysPanel />}
        <PasswordPanel email={person.email} />
        <SessionsPanel />
        <ThemePanel />
      </Stack>
    </>
  );
}

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function ThemePanel() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Theme">
      <SegmentedControl
        aria-label="Theme"
        w="fit-content"
        data={SCHEMES}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      />
    </Panel>
  );
}
