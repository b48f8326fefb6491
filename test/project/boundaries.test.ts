import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { ALLOWED } from "../../scripts/boundaries.ts";
import { CHECKED, findCircles, findViolations } from "../../scripts/check-boundaries.ts";
import { readSources } from "../../scripts/imports.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = Object.keys(ALLOWED);
const FORMS = {
  value: (path: string) => `import { a } from "${path}";\n`,
  type: (path: string) => `import type { A } from "${path}";\n`,
  "several lines": (path: string) => `import {\n  type A,\n  b,\n} from "${path}";\n`,
  "side effect": (path: string) => `import "${path}";\n`,
  "re-export": (path: string) => `export { a } from "${path}";\n`,
  dynamic: (path: string) => `const { a } = await import("${path}");\n`,
  "import type": (path: string) => `type A = import("${path}").A;\n`,
};

/** The result of the check for one file that imports a file of another folder. */
function plant(from: string, to: string, write: (path: string) => string): string[] {
  const [importer, imported] = [posix.join("src", from, "importer.ts"), posix.join("src", to, "imported.ts")];
  const path = posix.relative(dirname(importer), imported);
  const text = write(path.startsWith(".") ? path : `./${path}`);
  return findViolations(new Map([[importer, text]]));
}

describe("import boundaries", () => {
  const sources = readSources(ROOT, CHECKED);

  it("hold in all of src", () => {
    expect(sources.size).toBeGreaterThan(100);
    expect(findViolations(sources)).toEqual([]);
  });

  it("allow no circles", () => {
    expect(findCircles(sources)).toEqual([]);
  });

  it("list no folder that does not exist", () => {
    const existing = new Set([...sources.keys()].map((path) => posix.relative("src", dirname(path)) || "."));
    const listed = [...FOLDERS, ...Object.values(ALLOWED).flatMap((allowed) => allowed ?? [])];
    expect(listed.filter((folder) => folder !== "*" && folder !== ".." && !existing.has(folder))).toEqual([]);
  });

  it.each(Object.entries(FORMS))("catch every forbidden pair of folders: %s import", (_, write) => {
    const pairs = FOLDERS.flatMap((from) => FOLDERS.map((to) => [from, to] as const)).filter(
      ([from, to]) => from !== to,
    );
    for (const [from, to] of pairs) {
      const allowed = ALLOWED[from]?.some((folder) => folder === to || folder === "*");
      expect(plant(from, to, write), `${from} → ${to}`).toHaveLength(allowed ? 0 : 1);
    }
  });

  it("refuse a folder that has no row", () => {
    expect(findViolations(new Map([["src/surprise/file.ts", ""]]))).toEqual([
      "surprise is not in scripts/boundaries.ts",
    ]);
    expect(findViolations(new Map([["src/lib/surprise/file.ts", ""]]))).toHaveLength(1);
    expect(plant("http", "surprise", FORMS.value)).toHaveLength(1);
  });

  it("find circles of type-only imports and of more than two files", () => {
    const circle = new Map([
      ["src/lib/a.ts", FORMS.type("./b.ts")],
      ["src/lib/b.ts", FORMS.value("./c.ts")],
      ["src/lib/c.ts", FORMS.dynamic("./a.ts")],
      ["src/lib/d.ts", FORMS.value("./a.ts")],
    ]);
    expect(findCircles(circle)).toEqual([["src/lib/a.ts", "src/lib/b.ts", "src/lib/c.ts"]]);
  });

  it("let only src/config/env.ts read process.env", () => {
    const folder = mkdtempSync(join(tmpdir(), "errand-boundaries-"));
    try {
      for (const file of ["biome.json", ".gitignore", "package.json"])
        copyFileSync(join(ROOT, file), join(folder, file));
      for (const path of ["src/app/x.ts", "src/config/env.ts"]) {
        mkdirSync(join(folder, dirname(path)), { recursive: true });
        writeFileSync(join(folder, path), "export const b = process.env;\n");
      }
      const args = ["lint", "--reporter=github", "--max-diagnostics=none"];
      const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/biome"), args, { cwd: folder, encoding: "utf8" });
      const found = [...stdout.matchAll(/title=(\S+?),file=\S*?(src\/\S+?),/g)].map(
        ([, rule, path]) => `${rule} ${path}`,
      );
      expect(found).toEqual(["lint/style/noProcessEnv src/app/x.ts"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
