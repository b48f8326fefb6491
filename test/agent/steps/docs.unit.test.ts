import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../src/agent/steps/english/grammar.ts";
import { readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import { MAX_STEPS, Step } from "../../../src/agent/steps/step.ts";
import { parseStepFile } from "../../../src/agent/steps/step-file.ts";
import { PROMPT_MAX_LENGTH } from "../../../src/contract/execution-request.ts";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
const DOCUMENT = read("docs/steps.md");

/** What stands under a heading, with its subsections. */
function section(heading: string): string {
  const [, level = ""] = /^(#+)/.exec(heading) ?? [];
  const [, rest = ""] = DOCUMENT.split(`\n${heading}\n`);
  return rest.split(new RegExp(`\n#{1,${level.length}} `))[0] ?? "";
}

/** The cells of a section's tables, without their headings. */
function rows(heading: string): string[][] {
  return section(heading)
    .split(/\n(?=#)/)
    .flatMap((part) => part.split("\n").filter((line) => line.startsWith("|")))
    .filter((line, index, lines) => !line.startsWith("|---") && !lines[index + 1]?.startsWith("|---"))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
}

function codes(text = ""): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

interface Schema {
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  items?: Schema;
}

const { anyOf: KINDS = [] } = (Step as { $defs: { Step: Schema } }).$defs.Step;

/** The names of the fields that an object of the schema can have. */
function fieldsOf({ properties, anyOf = [] }: Schema): string[] {
  return [...Object.keys(properties ?? {}), ...anyOf.flatMap(fieldsOf)];
}

function schemaOf(kind: string): Schema {
  return KINDS.find(({ required }) => required?.[0] === kind)?.properties?.[kind] ?? {};
}

const TARGET = fieldsOf(schemaOf("click"));
const isTarget = (schema: Schema) => String(fieldsOf(schema)) === String(TARGET);

describe("docs/steps.md", () => {
  const kinds = rows("## Kinds of steps").filter(([first = ""]) =>
    KINDS.some(({ required }) => `\`${required?.[0]}\`` === first),
  );

  it("has every kind of step, in the order of the schema", () => {
    expect(KINDS.length).toBeGreaterThan(20);
    const listed = kinds.map(([first]) => codes(first)[0]);
    expect(listed).toEqual(KINDS.map(({ required }) => required?.[0]));
  });

  it.each(KINDS.map((schema) => [schema.required?.[0] ?? "", schema] as const))(
    "has the fields of %s",
    (kind, schema) => {
      const [, fields = ""] = kinds.find(([first]) => first === `\`${kind}\``) ?? [];
      const { [kind]: own = {}, ...others } = schema.properties ?? {};
      if (fields.includes("#") || fields.includes("`expect`")) {
        expect(Object.keys(others)).toEqual(codes(fields).filter((code) => code !== "expect"));
      } else if (isTarget(own)) {
        expect(fields).toBe("a target");
      } else {
        const expected = [...fieldsOf(own).filter((name) => !isWithinTarget(own, name)), ...Object.keys(others)];
        expect(codes(fields).toSorted()).toEqual([...new Set(expected)].toSorted());
      }
    },
  );

  it.each([
    ["### Read", () => fieldsOf(schemaOf("read"))],
    ["### Expect", () => fieldsOf(schemaOf("expect"))],
    [
      "### Collect",
      () => {
        const { where } = schemaOf("collect").properties ?? {};
        const comparisons = fieldsOf(where?.items ?? {}).filter((name) => name !== "column");
        return [...fieldsOf(schemaOf("collect")), ...comparisons];
      },
    ],
    ["## How a target is found", () => TARGET],
  ])("has the fields of the section %s", (heading, expected) => {
    expect(rows(heading).flatMap(([first]) => codes(first))).toEqual(expected());
  });

  const sentences = rows("## English").flatMap(([, examples]) => codes(examples));

  it.each(sentences)("is understood: %s", (sentence) => {
    expect(readPrompt(sentence)).toMatchObject({ kind: "steps" });
  });

  it("is not the only one: the examples of docs/agent.md are understood, too", () => {
    const [, about = ""] = read("docs/agent.md").split("## Without a model: steps");
    const examples = codes(about.split("\n## ")[0]).filter((code) => /^[A-Z].* .*[.?]$/.test(code));
    expect(examples.length).toBeGreaterThan(8);
    expect(examples.filter((example) => readPrompt(example).kind !== "steps")).toEqual([]);
  });

  it("has every example of the grammar", () => {
    const examples = GRAMMAR.map(({ example }) => example).filter(Boolean);
    expect(examples.length).toBeGreaterThan(30);
    expect(examples.filter((example) => !sentences.includes(example))).toEqual([]);
  });

  const files = [...DOCUMENT.matchAll(/```(?:yaml|json)\n(.*?)```/gs)].map(([, text = ""]) => text);

  it("has files that are valid", () => {
    expect(files.length).toBe(5);
    for (const file of files) expect(parseStepFile(file).steps.length).toBeGreaterThan(0);
  });

  it("has the limits that are enforced", () => {
    const limits = section("## Limits");
    expect(limits).toContain(`| steps | ${MAX_STEPS},`);
    expect(limits).toContain(`${PROMPT_MAX_LENGTH.toLocaleString("en")} characters`);
    const clause = (words: number) => readPrompt(`Click ${"x ".repeat(words - 1)}`).kind;
    expect([clause(120), clause(121)]).toEqual(["steps", "refused"]);
    expect(limits).toContain("| 120 words;");
  });
});

/** Whether the name is only a field of a target that is one of several alternatives. */
function isWithinTarget(schema: Schema, name: string): boolean {
  const alternatives = [schema, ...(schema.anyOf ?? [])];
  return !alternatives.some(({ properties }) => properties !== undefined && name in properties);
}
