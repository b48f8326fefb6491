import type { Tool } from "../model.ts";

/** For models that know no tool calls: the tools, and how to answer with them. */
export function describeToolsInText(tools: readonly Tool[], maxCalls: number): string {
  return [
    "You act by calling tools. These are the tools, each with the JSON Schema of its input:",
    ...tools.map(({ name, description, input }) => `${name}: ${description}\ninput: ${JSON.stringify(input)}`),
    `Answer with one JSON object and nothing else, with 1 to ${maxCalls} calls:`,
    '{"calls":[{"tool":"<name of a tool>","input":{…}}]}',
  ].join("\n\n");
}
