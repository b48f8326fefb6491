import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

const FORBIDDEN = [
  ["src/lib/x.ts", "../contract/execution.ts"],
  ["src/contract/x.ts", "../lib/clock.ts"],
  ["src/executions/x.ts", "../storage/database.ts"],
  ["src/oauth/x.ts", "../http/app.ts"],
  ["src/http/routes/x.ts", "../../storage/database.ts"],
  ["src/http/x.ts", "../worker/run.ts"],
  ["src/http/y.ts", "../agent/loop.ts"],
  ["src/browser/x.ts", "../executions/executions.ts"],
  ["src/models/x.ts", "../agent/loop.ts"],
  ["src/agent/x.ts", "../storage/database.ts"],
  ["src/storage/x.ts", "../http/app.ts"],
  ["src/credits/x.ts", "../service.ts"],
  ["src/webhooks/x.ts", "../storage/database.ts"],
  ["src/jobs/x.ts", "../webhooks/deliver.ts"],
  ["src/observability/x.ts", "../storage/database.ts"],
  ["src/worker/x.ts", "../observability/otlp-tracer.ts"],
  ["src/retention/x.ts", "../storage/database.ts"],
  ["src/backup/x.ts", "../config/key-file.ts"],
] as const;

const ALLOWED = [
  ["src/http/routes/fine.ts", "../../contract/execution.ts"],
  ["src/executions/fine.ts", "../lib/clock.ts"],
  ["src/storage/fine.ts", "../executions/execution-store.ts"],
  ["src/worker/fine.ts", "../queue/claim.ts"],
  ["src/agent/fine.ts", "../browser/session.ts"],
  ["src/commands/fine.ts", "../service.ts"],
  ["src/webhooks/fine.ts", "../executions/execution-record.ts"],
  ["src/observability/fine.ts", "../lib/tracing.ts"],
  ["src/backup/fine.ts", "../storage/migrations.ts"],
] as const;

describe("import boundaries", () => {
  let folder: string;
  /** `rule path` of everything the linter found in a tree of planted files. */
  let found: string[];

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "errand-boundaries-")));
    for (const file of ["biome.json", ".gitignore", "package.json"]) copyFileSync(join(ROOT, file), join(folder, file));
    const plant = (path: string, text: string) => {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const [path, specifier] of [...FORBIDDEN, ...ALLOWED])
      plant(path, `import { a } from "${specifier}";\n\nexport const b = a;\n`);
    for (const path of ["src/service.ts", "src/config/env.ts"]) plant(path, "export const b = process.env;\n");
    const { stdout } = spawnSync(
      join(ROOT, "node_modules/.bin/biome"),
      ["lint", "--reporter=github", "--max-diagnostics=none"],
      {
        cwd: folder,
        encoding: "utf8",
      },
    );
    found = [...stdout.matchAll(/title=(\S+?),file=(\S+?),/g)].map(
      ([, rule, path = ""]) => `${rule} ${relative(folder, path)}`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(FORBIDDEN)("%s may not import %s", (path) => {
    expect(found).toContain(`lint/style/noRestrictedImports ${path}`);
  });

  it.each(ALLOWED)("%s may import %s", (path) => {
    expect(found).not.toContain(`lint/style/noRestrictedImports ${path}`);
  });

  it("only src/config/env.ts may read process.env", () => {
    expect(found).toContain("lint/style/noProcessEnv src/service.ts");
    expect(found).not.toContain("lint/style/noProcessEnv src/config/env.ts");
  });
});
