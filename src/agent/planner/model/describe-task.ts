import { maskAddress } from "../../prompting/mask-address.ts";
import type { TaskSecrets } from "../../prompting/task-secrets.ts";
import type { Criterion } from "../../verifier/judge/criterion.ts";
import type { Task } from "../planner.ts";

const MAX_SCHEMA_CHARS = 4_000;

/** What stays the same through a run: the caller's words, and nothing of a page. */
export function describeTask(
  task: Task,
  criteria: readonly Criterion[],
  startUrl: string | null,
  secrets: TaskSecrets,
): string {
  const lines = ["The task, in the words of the user:", secrets.prompt, ""];
  if (criteria.length > 0) {
    lines.push("It is done when all of this is so:", ...criteria.map(({ text }) => `- ${secrets.hide(text)}`), "");
  }
  if (task.outputSchema !== null) {
    const schema = JSON.stringify(task.outputSchema);
    const told = schema.length <= MAX_SCHEMA_CHARS ? schema : `${schema.slice(0, MAX_SCHEMA_CHARS)}…`;
    lines.push(
      "The user wants this data (JSON Schema). Get to the pages that have it and call extract on each:",
      told,
      "",
    );
  }
  const day = task.now.toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" });
  lines.push(`Today is ${day}, ${task.now.toISOString().slice(0, 10)}.`);
  lines.push(
    startUrl === null ? "There is no page to start from." : `It starts at ${secrets.hide(maskAddress(startUrl))}.`,
  );
  return lines.join("\n");
}
