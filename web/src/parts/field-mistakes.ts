import { ConsoleError } from "../api/console-error.ts";

export interface FieldMistakes<Field extends string> {
  byField: Partial<Record<Field, string>>;
  /** What belongs to no field, such as a service that does not answer. */
  other: Error | null;
}

/** What the service has refused, at the field it is about; an entry of a list at the list. `fields` says which is which. */
export function sortMistakes<Field extends string>(
  error: Error | null,
  fields: Readonly<Record<string, Field>>,
): FieldMistakes<Field> {
  const details = error instanceof ConsoleError ? error.details : [];
  const byField: Partial<Record<Field, string>> = {};
  for (const { path, message } of details) {
    const field = fields[/[a-z_]+/.exec(path)?.[0] ?? ""];
    if (field === undefined) return { byField: {}, other: error };
    const sentence = message.replace(/^must /, "It must ");
    byField[field] = byField[field] === undefined ? sentence : `${byField[field]}\n${sentence}`;
  }
  return { byField, other: details.length === 0 ? error : null };
}
