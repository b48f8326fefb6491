import { Select as MantineSelect } from "@mantine/core";
import { useMemo, useState } from "react";
import Select from "react-select";
import CreatableSelect from "react-select/creatable";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

const ORDER = [
  { label: "First", value: "first" },
  { label: "Second", value: "second" },
  { label: "Third", value: "third", isDisabled: true },
];
const COLOURS = ["Red", "Green"].map((label) => ({ label, value: label }));
const FOOD = [
  { group: "Fruit", items: ["Apples", "Pears", "Plums"] },
  { group: "Vegetables", items: ["Carrots", "Leeks"] },
];

function Page() {
  const [created, setCreated] = useState<string | null>(null);
  const [kept, setKept] = useState<string | null>("Apples");
  const state = useMemo(() => ({ ignored: "first", created, kept }), [created, kept]);
  return (
    <SavedForm state={state}>
      <label htmlFor="ignored">Ignored</label>
      <Select inputId="ignored" options={ORDER} value={ORDER[0]} onChange={() => {}} />
      <label htmlFor="creatable">Creatable</label>
      <CreatableSelect inputId="creatable" options={COLOURS} onChange={(option) => setCreated(option?.value ?? null)} />
      <MantineSelect label="Kept" data={FOOD} value={kept} onChange={setKept} />
    </SavedForm>
  );
}

renderMantine(Page);
