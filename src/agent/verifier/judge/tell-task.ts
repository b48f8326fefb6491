import type { Task } from "../../planner/planner.ts";
import { redactUrl } from "../../redact-url.ts";

const MAX_SCHEMA = 6_000;

/** The task as the judge is told of it: what the caller wrote, and nothing of a page. */
export function tellTask({ prompt, startUrl, outputSchema, now }: Task): string {
  const schema = outputSchema === null ? null : JSON.stringify(outputSchema).slice(0, MAX_SCHEMA);
  return [
    "# The task, in the words of the person who gave it",
    prompt,
    "",
    `It was given on ${now.toISOString().slice(0, 10)}.`,
    startUrl === null ? "It names no page to start from." : `It starts at ${redactUrl(startUrl)}.`,
    ...(schema === null ? [] : [`The result has to be data of this JSON Schema: ${schema}`]),
  ].join("\n");
}
