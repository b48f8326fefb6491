import { describe, expect, it } from "vitest";
import { spawnErrand } from "../_harness/errand.ts";

/** Prints the names of all loaded packages as the last line of standard error. */
const PRINT_PACKAGES = `
import { registerHooks } from "node:module";
const packages = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url) ?? [];
    if (name !== undefined) packages.add(name);
    return resolved;
  },
});
process.on("exit", () => process.stderr.write("\\n" + JSON.stringify([...packages].sort())));
`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINT_PACKAGES)}`;

async function listPackages(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { stderr } = await spawnErrand(args, { ...env, NODE_OPTIONS });
  return JSON.parse(stderr.split("\n").at(-1) ?? "") as string[];
}

describe("help and usage errors", () => {
  it.each([
    [["--help"]],
    [["start", "--help"]],
    [["doctor", "--help"]],
    [["webhook", "create", "--help"]],
    [["run"]],
    [["steps", "--help"]],
    [["steps"]],
    [["frobnicate"]],
  ])("%j loads no package but commander", async (args) => {
    expect(await listPackages(args)).toEqual(["commander"]);
  });

  it("loads no database and no browser to explain steps", async () => {
    expect(await listPackages(["steps", "Click Save."])).toEqual(["commander", "typebox", "yaml"]);
  });

  it("loads more for a command that does something, so the measurement works", async () => {
    expect(await listPackages(["app", "list"], { DATABASE_URL: "postgres://127.0.0.1:1/none" })).toContain("pg");
  });
});
