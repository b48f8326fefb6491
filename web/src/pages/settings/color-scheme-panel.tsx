import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { Panel } from "../../parts/panel.tsx";

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: "auto", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function ColorSchemePanel() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Colours">
      <SegmentedControl
        aria-label="Colours"
        w="fit-content"
        data={SCHEMES}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      />
    </Panel>
  );
}
