import { useMemo, useState } from "react";
import Select from "react-select";
import AsyncSelect from "react-select/async";
import { render, SavedForm } from "./_react.tsx";

interface Option {
  label: string;
  value: string;
}

const COUNTRIES = ["Denmark", "Finland", "Iceland", "Norway", "Sweden"].map((label) => ({
  label,
  value: label.slice(0, 2).toLowerCase(),
}));
const TOPICS = ["Art", "Books", "Cooking", "Design"].map((label) => ({ label, value: label.toLowerCase() }));

async function searchCities(words: string): Promise<Option[]> {
  const response = await fetch(`/cities?q=${encodeURIComponent(words)}`);
  return (await response.json()) as Option[];
}

function Page() {
  const [country, setCountry] = useState<string | null>(null);
  const [topics, setTopics] = useState<string[]>(["books"]);
  const [city, setCity] = useState<string | null>(null);
  const state = useMemo(() => ({ country, topics, city }), [country, topics, city]);
  return (
    <SavedForm state={state}>
      <label htmlFor="country">Country</label>
      <Select inputId="country" options={COUNTRIES} onChange={(option) => setCountry(option?.value ?? null)} />
      <label htmlFor="topics">Topics</label>
      <Select
        inputId="topics"
        isMulti
        options={TOPICS}
        value={TOPICS.filter(({ value }) => topics.includes(value))}
        onChange={(options) => setTopics(options.map(({ value }) => value))}
      />
      <label htmlFor="city">City</label>
      <AsyncSelect
        inputId="city"
        loadOptions={searchCities}
        onChange={(option: Option | null) => setCity(option?.value ?? null)}
      />
    </SavedForm>
  );
}

render(Page);
