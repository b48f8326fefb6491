import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import Select from "react-select";
import { root, save, show } from "./_page.ts";

const COUNTRIES = ["Denmark", "Finland", "Iceland", "Norway", "Sweden"].map((label) => ({
  label,
  value: label.slice(0, 2).toLowerCase(),
}));
const TOPICS = ["Art", "Books", "Cooking", "Design"].map((label) => ({ label, value: label.toLowerCase() }));

function Page() {
  const [country, setCountry] = useState<string | null>(null);
  const [topics, setTopics] = useState<string[]>([]);
  useEffect(() => show({ country, topics }), [country, topics]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save({ country, topics });
      }}
    >
      <label htmlFor="country">Country</label>
      <Select inputId="country" options={COUNTRIES} onChange={(option) => setCountry(option?.value ?? null)} />
      <label htmlFor="topics">Topics</label>
      <Select
        inputId="topics"
        isMulti
        options={TOPICS}
        onChange={(options) => setTopics(options.map(({ value }) => value))}
      />
      <button type="submit">Save</button>
    </form>
  );
}

createRoot(root()).render(<Page />);
