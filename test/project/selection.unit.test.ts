import { describe, expect, it } from "vitest";
import { selectTests } from "../../scripts/test-selection.ts";

const imports = (...paths: string[]) => paths.map((path) => `import { a } from "${path}";\n`).join("");

/** So many files that whoever reaches them all puts the program together. */
const LEAVES = Array.from({ length: 200 }, (_, index) => `src/leaves/leaf-${index}.ts`);

const SOURCES = new Map<string, string>([
  ...LEAVES.map((path) => [path, ""] as const),
  ["src/webhooks/sign.ts", ""],
  ["src/webhooks/deliver.ts", imports("./sign.ts")],
  ["src/app/service.ts", imports("../webhooks/deliver.ts", ...LEAVES.map((path) => `../${path.slice(4)}`))],
  ["test/_harness/service.ts", imports("../../src/app/service.ts")],
  ["test/_harness/receiver.ts", imports("../../src/webhooks/sign.ts")],
  ["test/webhooks/deliveries.test.ts", imports("../_harness/service.ts")],
  ["test/webhooks/sign.unit.test.ts", imports("../../src/webhooks/sign.ts")],
  ["test/console/messages.test.ts", imports("../_harness/receiver.ts")],
  ["test/oauth/token.test.ts", imports("../_harness/service.ts")],
  ["test/storage/migrations.test.ts", ""],
  ["test/executions/queue.test.ts", ""],
  ["test/project/readme.test.ts", ""],
]);

describe("the tests of a change", () => {
  it("are those that import it, and those of its subject", () => {
    expect(selectTests(["src/webhooks/sign.ts"], SOURCES)).toEqual({
      run: ["test/console/messages.test.ts", "test/webhooks/deliveries.test.ts", "test/webhooks/sign.unit.test.ts"],
      beyond: 1,
    });
  });

  it("are not those that only start the service in which it is", () => {
    expect(selectTests(["src/leaves/leaf-7.ts"], SOURCES)).toEqual({ run: [], beyond: 2 });
  });

  it("are those of the subject for a page or a program that no test imports", () => {
    expect(selectTests(["test/webhooks/pages/form.vue"], SOURCES).run).toEqual([
      "test/webhooks/deliveries.test.ts",
      "test/webhooks/sign.unit.test.ts",
    ]);
  });

  it("are the nearest ones, where a change reaches very many", () => {
    const users = Array.from({ length: 60 }, (_, index) => `test/users/u${index}.test.ts`);
    const sources = new Map([
      ["src/lib/clock.ts", ""],
      ["src/lib/timer.ts", imports("./clock.ts")],
      ["test/lib/clock.unit.test.ts", imports("../../src/lib/clock.ts")],
      ["test/lib/timer.test.ts", imports("../../src/lib/timer.ts")],
      ...users.map((path) => [path, imports("../../src/lib/timer.ts")] as const),
    ]);
    const { run, beyond } = selectTests(["src/lib/clock.ts"], sources);
    expect(run).toContain("test/lib/timer.test.ts");
    expect(run).toContain("test/lib/clock.unit.test.ts");
    expect([run.length, run.length + beyond]).toEqual([46, 62]);
  });

  it("are all that use a part of the harness that has changed", () => {
    const { run } = selectTests(["test/_harness/service.ts"], SOURCES);
    expect(run).toEqual(["test/oauth/token.test.ts", "test/webhooks/deliveries.test.ts"]);
  });

  it("are whole subjects when the schema of the database has changed", () => {
    const { run } = selectTests(["migrations/0099_more.sql"], SOURCES);
    expect(run).toEqual(["test/executions/queue.test.ts", "test/storage/migrations.test.ts"]);
  });

  it("are the changed tests themselves, unless they were deleted", () => {
    expect(selectTests(["test/oauth/token.test.ts", "test/oauth/gone.test.ts"], SOURCES)).toEqual({
      run: ["test/oauth/token.test.ts"],
      beyond: 0,
    });
  });

  it("are those of the project for any other file", () => {
    expect(selectTests(["README.md"], SOURCES).run).toEqual(["test/project/readme.test.ts"]);
  });
});
