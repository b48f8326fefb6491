import { Cascader, TreeSelect } from "@mantine/core";
import { useMemo, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

const FOLDERS = [
  {
    value: "work",
    label: "Work",
    children: [
      { value: "plans", label: "Plans" },
      { value: "bills", label: "Bills" },
    ],
  },
  { value: "home", label: "Home", children: [{ value: "garden", label: "Garden" }] },
];
const PLACES = [
  {
    value: "europe",
    label: "Europe",
    children: [
      { value: "norway", label: "Norway", children: [{ value: "bergen", label: "Bergen" }] },
      { value: "sweden", label: "Sweden", children: [{ value: "lund", label: "Lund" }] },
    ],
  },
  { value: "asia", label: "Asia", children: [{ value: "japan", label: "Japan" }] },
];

function Page() {
  const [folder, setFolder] = useState<string | null>(null);
  const [place, setPlace] = useState<string[] | null>(null);
  const state = useMemo(() => ({ folder, place }), [folder, place]);
  return (
    <SavedForm state={state}>
      <TreeSelect label="Folder" data={FOLDERS} value={folder} onChange={setFolder} expandOnClick />
      <Cascader label="Place" data={PLACES} value={place} onChange={setPlace} />
    </SavedForm>
  );
}

renderMantine(Page);
