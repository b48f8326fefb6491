import { Button } from "@mantine/core";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useEffect, useState } from "react";
import "@mantine/spotlight/styles.css";
import { renderMantine } from "./_mantine.tsx";
import { save, show } from "./_page.ts";

function Page() {
  const [opened, setOpened] = useState<string | null>(null);
  useEffect(() => show({ opened }), [opened]);
  const actions = ["Home", "Dashboard", "Documentation", "Settings"].map((label) => ({
    id: label.toLowerCase(),
    label,
    description: `Opens ${label.toLowerCase()}`,
    onClick: () => {
      setOpened(label);
      void save({ opened: label });
    },
  }));
  return (
    <main>
      <Button onClick={spotlight.open}>Search</Button>
      <Spotlight actions={actions} nothingFound="Nothing found" highlightQuery searchProps={{ placeholder: "Go to" }} />
    </main>
  );
}

renderMantine(Page);
