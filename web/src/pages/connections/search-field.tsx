import { TextInput } from "@mantine/core";

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maw={360}
      mb="md"
    />
  );
}
