import { Autocomplete, MultiSelect, Select, TagsInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

const COUNTRIES = ["Denmark", "Finland", "Iceland", "Norway", "Sweden"];
const ZONES = Array.from({ length: 200 }, (_, index) => `Zone ${index + 1}`);

function Page() {
  const [country, setCountry] = useState<string | null>(null);
  const [zone, setZone] = useState<string | null>(null);
  const [topics, setTopics] = useState<string[]>(["Books"]);
  const [street, setStreet] = useState("");
  const [tags, setTags] = useState<string[]>([]);
  const state = useMemo(() => ({ country, zone, topics, street, tags }), [country, zone, topics, street, tags]);
  return (
    <SavedForm state={state}>
      <Select label="Country" placeholder="Pick one" data={COUNTRIES} value={country} onChange={setCountry} clearable />
      <Select label="Time zone" searchable data={ZONES} limit={20} value={zone} onChange={setZone} />
      <MultiSelect
        label="Topics"
        data={["Art", "Books", "Cooking", "Design"]}
        value={topics}
        onChange={setTopics}
        searchable
      />
      <Autocomplete
        label="Street"
        data={["Main Street", "Mill Lane", "Market Square"]}
        value={street}
        onChange={setStreet}
      />
      <TagsInput label="Tags" value={tags} onChange={setTags} />
    </SavedForm>
  );
}

renderMantine(Page);
