import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDemoShop, readDemoPort, saveDemoPort } from "../../src/app/demo-shop.ts";
import { toCommandOptions } from "../../src/cli/options.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, runErrand } from "../_harness/errand.ts";

describe("what commands print to type next", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const env = () => ({ ...data.env, DATABASE_URL: database.url });
  const register = ["app", "create", "--name", "Hints", "--type", "public"];

  it("names the data directory when it was given and is not the default", async () => {
    const other = join(data.env["ERRAND_DATA_DIR"] ?? "", "elsewhere");
    const given = await runErrand([...register, "--data-dir", other], env());
    expect(given.stdout).toMatch(new RegExp(`Next: errand connect .* --data-dir ${other}\n`));
    expect((await runErrand(register, env())).stdout).not.toContain("--data-dir");
    const usual = data.env["ERRAND_DATA_DIR"] ?? "";
    expect((await runErrand([...register, "--data-dir", usual], env())).stdout).not.toContain("--data-dir");
  });

  it("names it in the advice after a failure as well", async () => {
    const away = { ...data.env, DATABASE_URL: "postgresql://errand@127.0.0.1:1/errand" };
    const { stderr } = await runErrand(["app", "list", "--data-dir", "/tmp/errand-hints"], away);
    expect(stderr).toContain("Run errand doctor --data-dir /tmp/errand-hints for details.");
  });

  it("can be pasted into a shell", () => {
    expect(toCommandOptions({ dataDir: "my data" })).toBe(" --data-dir 'my data'");
    expect(toCommandOptions({ dataDir: "it's" })).toBe(" --data-dir 'it'\\''s'");
    expect(toCommandOptions({})).toBe("");
  });

  it("lists every exit code in the help of the program", async () => {
    const { stdout, code } = await runErrand(["--help"]);
    expect(code).toBe(0);
    const codes = [...stdout.matchAll(/^ {2}(\d+) {2,}\S/gm)].map(([, number]) => Number(number));
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 130]);
  });
});

describe("the demo shop", () => {
  it("takes another port when its own is in use, says which it had, and keeps the new one", async () => {
    await using data = await createDataDir();
    const folder = data.env["ERRAND_DATA_DIR"] ?? "";
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", resolve));
    const { port: taken } = occupant.address() as AddressInfo;
    const moved = await openDemoShop({ port: taken });
    saveDemoPort(folder, moved.shop);
    const { port } = new URL(moved.shop.url);
    expect([moved.movedFrom, Number(port) === taken]).toEqual([taken, false]);
    await moved.shop[Symbol.asyncDispose]();
    await new Promise((resolve) => occupant.close(resolve));
    expect(readDemoPort(folder)).toBe(Number(port));
    const again = await openDemoShop({ port: readDemoPort(folder) });
    expect([again.movedFrom, new URL(again.shop.url).port]).toEqual([null, port]);
    await again.shop[Symbol.asyncDispose]();
  });
});
