import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isStepFile, parseStepFile } from "../../src/agent/steps/step-file.ts";
import { runErrand, spawnErrand } from "../_harness/errand.ts";

const ENGLISH = "Search for kettle, open Brindle Kettle and tell me its price.";
const YAML = `# The price of a kettle.
start_url: http://127.0.0.1:4010/
steps:
  - fill: { target: { role: search field }, value: kettle, submit: true }
  - click: Brindle Kettle
  - read: { label: price }
`;
const JSON_STEPS = JSON.stringify({ steps: [{ click: "Save" }] });

describe("errand steps", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "errand-steps-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  it("explains each sentence of a file", async () => {
    const { code, stdout, stderr } = await runErrand(["steps", "--check", await file("a.txt", ENGLISH)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "  1. Search for kettle",
      '     → Enter "kettle" into the search field and press Enter',
      "  2. open Brindle Kettle",
      '     → Open the element "Brindle Kettle"',
      "  3. tell me its price",
      '     → Read the value labelled "price"',
      "Understood: 3 steps. Nothing was run.",
      "",
    ]);
  });

  it("explains a prompt, and the steps of a YAML or JSON file", async () => {
    expect((await runErrand(["steps", "Click Save."])).stdout).toContain('Click the element "Save"');
    const yaml = await runErrand(["steps", "--check", await file("a.yaml", YAML)]);
    expect(yaml.code).toBe(0);
    expect(yaml.stdout).toContain("Start at http://127.0.0.1:4010/");
    expect(yaml.stdout).toContain('  2. Click the element "Brindle Kettle"');
    const json = await runErrand(["steps", "--check", await file("a.json", JSON_STEPS)]);
    expect(json.stdout).toContain('  1. Click the element "Save"');
  });

  it("reads standard input", async () => {
    const result = await spawnErrand(["steps", "--check", "-"], {}, "\ufeffClick Save.\r\n");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toContain('Click the element "Save"');
  });

  it("prints the typed steps as JSON", async () => {
    const { stdout } = await runErrand(["steps", "Click Save.", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      understood: true,
      start_url: null,
      steps: [{ said: "Click Save", does: 'Click the element "Save"', step: { click: { name: "Save" } } }],
      problem: null,
    });
  });

  it("writes a file that has the same steps", async () => {
    const { stdout } = await runErrand(["steps", `${ENGLISH} Select "5: five #1" from Size.`, "--yaml"]);
    expect(isStepFile(stdout)).toBe(true);
    const { stdout: json } = await runErrand(["steps", `${ENGLISH} Select "5: five #1" from Size.`, "--json"]);
    const { steps } = JSON.parse(json) as { steps: { step: unknown }[] };
    expect(parseStepFile(stdout)).toEqual({ steps: steps.map(({ step }) => step) });
  });

  it("names the clause that is not understood, what was understood before it and a sentence that works", async () => {
    const prompt = "Search for kettle. Buy the kettle. Click Save.";
    const { code, stdout } = await runErrand(["steps", prompt]);
    expect(code).toBe(2);
    expect(stdout).toContain('Enter "kettle" into the search field');
    expect(stdout).toContain('✗ "Buy the kettle" is not understood.');
    expect(stdout).toContain('Did you mean "Open the kettle, click Add to cart"?');
    expect(stdout).toContain("Understood before it: 1 step.");
    const json = await runErrand(["steps", prompt, "--json"]);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      understood: false,
      steps: [{ said: "Search for kettle" }],
      problem: { clause: "Buy the kettle", suggestion: "Open the kettle, click Add to cart" },
    });
    // Half a file is no file.
    expect((await runErrand(["steps", prompt, "--yaml"])).stdout).not.toContain("steps:");
  });

  it("suggests sentences that are understood", async () => {
    const { stdout } = await runErrand(["steps", "Serach for kettle.", "--json"]);
    const { problem } = JSON.parse(stdout) as { problem: { suggestion: string } };
    expect(await runErrand(["steps", problem.suggestion])).toMatchObject({ code: 0 });
  });

  it("lets no text control the terminal, and shortens long ones", async () => {
    const { stdout } = await runErrand(["steps", `Click "\u001b[2J". ${"blah ".repeat(3_000)}`]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout.length).toBeLessThan(1_000);
  });

  it.each([
    ["step.yaml", YAML.replace("click", "clack"), "Step 2 is not a step. It has: clack."],
    ["field.yaml", YAML.replace("value", "text"), 'Step 1 is not a valid "fill"'],
    ["url.yaml", YAML.replace("http:", "ftp:"), '"start_url" must be an http or https URL'],
    ["list.yml", "- click: Save\n", 'must have a list "steps"'],
    ["no-steps.yaml", "steps: []\n", "A file has 1 to 200 steps; this has 0."],
    ["syntax.yaml", "steps: [", "not valid YAML or JSON"],
    ["alias.yaml", "steps: &a\n  - click: *a\n", "steps"],
    ["extra.yaml", `name: Kettle\n${YAML}`, 'only "start_url" is allowed'],
    ["many.yaml", `steps:\n${"  - back: true\n".repeat(201)}`, "this has 201."],
    ["many.txt", "Go back. ".repeat(201), "A prompt can have up to 200 steps"],
    ["nothing.txt", "...", "It has no steps."],
  ])("%s is not understood: exit code 2", async (name, content, message) => {
    const { code, stdout, stderr } = await runErrand(["steps", "--check", await file(name, content)]);
    expect(stdout).toContain("✗ ");
    expect(stdout).toContain(message);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  });

  const UNREADABLE: [string, string | Uint8Array | null, string][] = [
    ["missing.txt", null, "does not exist"],
    [".", null, "is a folder, not a file"],
    ["empty.txt", " \n", "is empty"],
    ["binary.txt", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0x00), "is not a text in UTF-8"],
    ["nul.txt", "Click\0Save.", "is not a text in UTF-8"],
    ["utf16.txt", Buffer.from("\ufeffClick Save.", "utf16le"), "is not a text in UTF-8"],
    ["large.txt", "Click Save. ".repeat(90_000), "is too long. A prompt has at most 20,000 characters"],
    ["long.txt", "Click Save. ".repeat(2_000), "at most 20,000 characters, and this has 24,000"],
  ];

  describe.each(UNREADABLE)("%s", (name, content, message) => {
    it.each([["steps", "--check"] as const, ["run", "--steps"] as const])(
      "errand %s %s refuses it",
      async (...args) => {
        const path = content === null ? join(folder, name) : await file(name, content);
        const dataDir = join(folder, "untouched");
        const result = await runErrand([...args, path], { ERRAND_DATA_DIR: dataDir });
        expect(result).toMatchObject({ code: 2, stdout: "" });
        expect(result.stderr).toContain(`${args[1]}: ${path}`);
        expect(result.stderr).toContain(message);
        expect(existsSync(dataDir)).toBe(false);
      },
    );
  });

  it.each([
    [["steps"], "give either a prompt or --check"],
    [["steps", "Click Save.", "--check", "-"], "give either a prompt or --check"],
    [["steps", "Click Save.", "--yaml", "--json"], "cannot be used together"],
    [["run", "Click Save.", "--steps", "-"], "--steps replaces the prompt"],
  ])("%j is wrong usage", async (args, message) => {
    const result = await runErrand(args);
    expect(result.stderr).toContain(message);
    // With --json, usage errors are JSON on standard error.
    expect(result).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([
    ["Search for kettle. Buy it.", '"Buy it" is not understood.', "Did you mean"],
    [YAML.replace("read", "reed"), "Step 3 is not a step"],
    [YAML.replace("label", "lable"), 'Step 3 is not a valid "read"'],
    [YAML.replace("http:", "ftp:"), '"start_url" must be an http or https URL'],
  ])("errand run --steps names the step before anything is opened: %j", async (text, ...messages) => {
    const dataDir = join(folder, "untouched");
    const args = ["run", "--steps", await file("wrong.txt", text)];
    const result = await runErrand(args, { ERRAND_DATA_DIR: dataDir });
    for (const message of ["--steps: ", ...messages]) expect(result.stderr).toContain(message);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(dataDir)).toBe(false);
  });
});
