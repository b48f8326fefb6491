import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  Input,
  NativeSelect,
  Radio,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useRef } from "react";
import { Icon } from "../../components/icons.tsx";
import {
  FIELD_TYPES,
  type Field,
  type FieldType,
  NOTHING_REQUESTED,
  type RequestedData,
  toOutputSchema,
} from "./requested-fields.ts";

interface RequestedDataFieldProps {
  data: RequestedData;
  problem: string | null;
  onChange: (data: RequestedData) => void;
}

/** The values that the errand should return: fields by name and type, or a JSON Schema for everything else. */
export function RequestedDataField({ data, problem, onChange }: RequestedDataFieldProps) {
  return (
    <Stack component="fieldset" gap="xs" className="plain-fieldset">
      <legend>
        <Input.Label labelElement="div">Data to return</Input.Label>
        <Input.Description>Optional. Each value is read from the page and checked.</Input.Description>
      </legend>
      {data.kind === "schema" ? (
        <SchemaText text={data.text} onChange={onChange} />
      ) : (
        <FieldRows data={data} onChange={onChange} />
      )}
      {problem !== null && <Input.Error role="alert">{problem}</Input.Error>}
    </Stack>
  );
}

function SchemaText({ text, onChange }: { text: string; onChange: (data: RequestedData) => void }) {
  return (
    <>
      <Textarea
        aria-label="JSON Schema"
        autosize
        minRows={4}
        maxRows={16}
        spellCheck={false}
        value={text}
        onChange={(event) => onChange({ kind: "schema", text: event.currentTarget.value })}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onChange(NOTHING_REQUESTED)}>
        Use fields instead
      </Anchor>
    </>
  );
}

const NEW_FIELD: Field = { name: "", type: "text", isRequired: true };

interface FieldRowsProps {
  data: Extract<RequestedData, { kind: "fields" }>;
  onChange: (data: RequestedData) => void;
}

function FieldRows({ data, onChange }: FieldRowsProps) {
  const { isList, fields } = data;
  const rows = useRef<HTMLUListElement>(null);
  const set = (next: readonly Field[]) => onChange({ ...data, fields: next });
  const change = (index: number, changes: Partial<Field>) =>
    set(fields.map((field, at) => (at === index ? { ...field, ...changes } : field)));
  return (
    <>
      <ul className="plain-list requested-fields" aria-label="Fields" ref={rows}>
        {fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and all their state is in `fields`
          <li key={index} className="requested-field">
            <TextInput
              aria-label={`Name of field ${index + 1}`}
              placeholder="price"
              maxLength={100}
              value={field.name}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
            />
            <NativeSelect
              aria-label={`Type of field ${index + 1}`}
              data={FIELD_TYPES}
              value={field.type}
              onChange={(event) => change(index, { type: event.currentTarget.value as FieldType })}
            />
            <Checkbox
              label="Required"
              checked={field.isRequired}
              onChange={(event) => change(index, { isRequired: event.currentTarget.checked })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove field ${index + 1}`}
              onClick={() => set(fields.filter((_, at) => at !== index))}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Group gap="md">
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => {
            set([...fields, NEW_FIELD]);
            // After the new row exists.
            requestAnimationFrame(() => rows.current?.querySelector<HTMLInputElement>("li:last-child input")?.focus());
          }}
        >
          Add field
        </Button>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => onChange({ kind: "schema", text: writeSchema(data) })}
        >
          Write JSON Schema instead
        </Anchor>
      </Group>
      {fields.length > 0 && (
        <Radio.Group
          aria-label="How many results"
          value={isList ? "list" : "one"}
          onChange={(value) => onChange({ ...data, isList: value === "list" })}
        >
          <Group gap="lg">
            <Radio value="one" label="One result" />
            <Radio value="list" label="A list of results" />
          </Group>
        </Radio.Group>
      )}
    </>
  );
}

function writeSchema(data: RequestedData): string {
  return JSON.stringify(toOutputSchema(data) ?? { type: "object", properties: {} }, null, 2);
}
