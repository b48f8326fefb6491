import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const DOCUMENTS = [
  ...globSync("*.md", { cwd: ROOT }),
  ...globSync(["docs/**/*.md", "test/*.md"], { cwd: ROOT }),
].filter((path) => path !== "CHANGELOG.md");
/** Those that .ci/run runs, without the end that says their tier: "oauth/token". */
const TESTS = globSync("test/**/*.test.ts", { cwd: ROOT })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.endsWith(".nightly.test.ts"))
  .map((path) => path.replace(/^test\//, "").replace(/(\.unit|\.ci)?\.test\.ts$/, ""));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** Paths in documents are relative to the project's folder, to src or to test. A star stands for part of a name. */
function names(path: string): boolean {
  return [path, `src/${path}`, `test/${path}`].some((candidate) => globSync(candidate, { cwd: ROOT }).length > 0);
}

describe("the documentation", () => {
  it.each(DOCUMENTS)("%s names only files that exist", (path) => {
    const named = [...read(path).matchAll(/`((?:[\w*-]+\/)+[\w*.-]+\.(?:ts|tsx|sql|yaml|json))`/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.filter((name) => !names(name))).toEqual([]);
  });

  it.each(DOCUMENTS)("%s has no broken link", (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(resolve(ROOT, dirname(path), link)))).toEqual([]);
  });

  it("names tests of .ci/run for each invariant", () => {
    const table = read("docs/architecture.md").split("## Invariants")[1]?.split("\n## ")[0] ?? "";
    const named = table
      .split("\n")
      .filter((line) => /^\| \d/.test(line))
      .flatMap((line) => [...(line.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
    expect(named.length).toBeGreaterThan(20);
    const isMissing = (name: string) => {
      const pattern = new RegExp(`^${name.replaceAll("*", "[^/]+")}$`);
      return !TESTS.some((test) => pattern.test(test));
    };
    expect(named.filter(isMissing)).toEqual([]);
  });

  it("gives each folder of src a line in the architecture's tree", () => {
    const tree = read("docs/architecture.md");
    const folders = globSync("src/*/", { cwd: ROOT }).map((path) => path.replaceAll("\\", "/").replace(/\/?$/, "/"));
    expect(folders.length).toBeGreaterThan(15);
    expect(folders.filter((folder) => !tree.includes(`\n${folder} `))).toEqual([]);
  });
});
