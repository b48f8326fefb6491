import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import type { Execution } from "../../src/contract/execution.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { createDataDir, errandJson, runErrand, startCommand, startErrand } from "../_harness/errand.ts";

const ESCAPE = "\u001b";
const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const KETTLE = "Search for kettle and tell me the price of the Brindle Kettle.";

const files = mkdtempSync(join(tmpdir(), "errand-run-"));
afterAll(() => rmSync(files, { recursive: true }));

function schemaFile(text: string): string {
  const path = join(files, `schema-${text.length}.json`);
  writeFileSync(path, text);
  return path;
}

describe("errand run", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let shop: DemoShop;
  let site: Server;
  let siteUrl: string;
  let env: Record<string, string>;
  let asked = Promise.withResolvers<void>();

  beforeAll(async () => {
    shop = await openShop();
    site = createServer((request, response) => {
      if (request.url === "/hangs") asked.resolve();
      else if (request.url === "/sign-in") {
        response
          .setHeader("content-type", "text/html")
          .end(
            '<title>Sign in</title><form><label>Password <input type="password"></label><button>Sign in</button></form>',
          );
      } else response.writeHead(302, { location: "/sign-in" }).end();
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    siteUrl = `http://${host}`;
    data = await createDataDir();
    database = await createTestDatabase();
    env = { ...data.env, DATABASE_URL: database.url, ERRAND_ALLOW_HOSTS: `${new URL(shop.url).host},${host}` };
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    site.closeAllConnections();
    site.close();
  });

  it("runs an errand alone, prints the steps and then the result, and exits with 0", async () => {
    const { code, stdout, stderr } = await runErrand(["run", KETTLE, "--start-url", shop.url], env);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("64.90");
    expect(stdout).toMatch(/✓ Verified: .+\nChanges: none\nPage: .+/);
    expect(stderr).toMatch(/1\. Open the start page\n.*2\. .*"kettle".*"Search the shop"/);
    expect(stdout).toMatch(
      /\nTook \d+\.\d s, 1 credit\nConsole: http\S+\/console\/executions\/\S+ \(after errand start\)\n$/,
    );
    expect(stdout + stderr, "colours are for terminals").not.toContain(ESCAPE);
    const [, verdict = ""] = /✓ Verified: (.+)/.exec(stdout) ?? [];
    expect((stdout + stderr).split(verdict), "the verdict is said once").toHaveLength(2);
    const [, folder = ""] = /Evidence: (.+)/.exec(stdout) ?? [];
    expect(folder.startsWith(join(data.path, "artifacts"))).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });

  it("prints only the execution with --json, with the data that the schema describes", async () => {
    const schema = schemaFile(
      JSON.stringify({ type: "object", properties: { price: { type: "number" } }, required: ["price"] }),
    );
    const { code, stdout, stderr } = await runErrand(
      [
        "run",
        "Open Brindle Kettle and tell me its price.",
        "--start-url",
        `${shop.url}/products?q=kettle`,
        "--output-schema",
        schema,
        "--json",
      ],
      env,
    );
    expect(code, stderr + stdout).toBe(0);
    expect(stderr).toBe("");
    const execution = JSON.parse(stdout) as Execution;
    expect(execution).toMatchObject({
      status: "COMPLETED",
      result: { extracted: { price: 64.9 } },
      usage: { charged: true },
    });
  });

  it.each([
    [
      "YAML",
      (url: string) =>
        `start_url: ${url}/products?q=kettle\nsteps: [{ open: Brindle Kettle }, { read: { label: price } }]`,
    ],
    ["English", (url: string) => `Go to ${url}/products?q=kettle\nOpen Brindle Kettle\nTell me its price`],
  ])("runs the steps of a file, which are %s", async (_name, write) => {
    const path = join(files, "steps.txt");
    writeFileSync(path, write(shop.url));
    const { code, stdout, stderr } = await runErrand(["run", "--steps", path, "--json"], env);
    expect(code, stderr + stdout).toBe(0);
    const { prompt, result } = JSON.parse(stdout) as Execution;
    expect(prompt).toMatch(/^(?:start_url|steps):/);
    expect(result?.final_text).toContain("64.90");
  });

  it("reuses one application and one connection", async () => {
    const applications = await database.query("select id from applications where name = 'Command line'");
    expect(applications).toHaveLength(1);
    expect(await database.query("select id from connections")).toHaveLength(1);
  });

  it.each([
    ["a prompt that is not understood", ["Ponder it all."], 5, "unsupported prompt"],
    ["a target that does not exist", ["Open Unobtainable Teapot."], 3, "goal unreachable"],
  ])(
    "exits with its own code for %s, and prints the reason and the changes",
    async (_name, [prompt = ""], code, status) => {
      const result = await runErrand(["run", prompt, "--start-url", shop.url], env);
      expect(result, result.stderr).toMatchObject({ code });
      expect(result.stdout).toContain(`✗ Failed: ${status}`);
      expect(result.stdout).toContain("Changes: none");
    },
  );

  it("exits with 3 when the site requires a sign-in that the application has not set up", async () => {
    const result = await runErrand(["run", "What is the price of the kettle?", "--start-url", siteUrl], env);
    expect(result.stdout + result.stderr).toContain("The application has no sign-in URL");
    expect(result.code).toBe(3);
  });

  it("cancels on Ctrl-C and exits with 130", async () => {
    asked = Promise.withResolvers();
    const args = ["run", "What is the price of the kettle?", "--start-url", `${siteUrl}/hangs`, "--json"];
    const { child, ended } = startCommand(args, env);
    await asked.promise;
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ terminal: { status: "canceled" }, usage: { charged: false } });
  });

  it("uses color only where it is supported", async () => {
    const show = (more: Record<string, string>) =>
      runErrand(["run", "Ponder it all.", "--start-url", shop.url], { ...env, ...more });
    const [coloured, plain] = await Promise.all([show({ FORCE_COLOR: "1" }), show({ NO_COLOR: "1" })]);
    expect(coloured.stdout).toContain(`${ESCAPE}[31m`);
    expect(stripVTControlCharacters(coloured.stdout)).toContain("✗ Failed: unsupported prompt");
    expect(plain.stdout).not.toContain(ESCAPE);
  });

  it.each([
    [[], "give a prompt, or a file of steps with --steps"],
    [[" "], "The prompt must not be blank. Describe the task in quotes"],
    [["x", "--start-url", "ftp://x"], "--start-url must be an http or https URL"],
    [["x", "--start-url", "shop.example"], "Write it like https://shop.example/."],
    [["x", "--start-url", "https://ann:secret@shop.example"], "--start-url must not contain a user name or password"],
    [["x", "--output-schema", "/nowhere.json"], "/nowhere.json does not exist"],
    [["x", "--output-schema", import.meta.dirname], "is a folder, not a file"],
    [["x", "--output-schema", import.meta.filename], "run-command.ci.test.ts is not valid JSON. "],
    [["x", "--output-schema", schemaFile("[]")], "must contain a JSON Schema, which is an object"],
    [["x", "--output-schema", schemaFile('{"type":"nonsense"}')], "--output-schema is not a usable JSON Schema: "],
    [["x", "--application", "nonsense"], "Run errand app list"],
  ])("run %j exits with 2 and shows the correct usage, before anything is opened", async (args, message) => {
    const dataDir = join(data.path, "untouched");
    const result = await runErrand(["run", ...args], { ERRAND_DATA_DIR: dataDir });
    expect(result.stderr).toContain(message);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(dataDir)).toBe(false);
  });

  it("exits with 2 for an unknown application and runs nothing", async () => {
    const count = async () => (await database.query("select id from executions")).length;
    const before = await count();
    const { code, stdout, stderr } = await runErrand(["run", "x", "--application", UNKNOWN, "--json"], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "WRONG_USAGE", message: expect.stringContaining(`There is no application ${UNKNOWN}`) },
    });
    expect(await count()).toBe(before);
  });

  it("says how to get a browser if there is none, and leaves nothing queued", async () => {
    const result = await runErrand(["run", KETTLE, "--start-url", shop.url], {
      ...env,
      ERRAND_BROWSER_PATH: "/nowhere",
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("ERRAND_BROWSER_PATH");
    expect(await database.query("select id from executions where status in ('QUEUED', 'RUNNING')")).toEqual([]);
  });

  it("starts the demo shop if the errand needs it", async () => {
    const result = await runErrand(["run", KETTLE, "--start-url", "http://127.0.0.1:4010/"], {
      ...env,
      ERRAND_DEMO: "true",
    });
    expect(result, result.stdout + result.stderr).toMatchObject({ code: 0 });
  });

  it("lets a running service on the same database do the work", async () => {
    const service = await startErrand(env, ["start"]);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 100_000 }).toBe(200);
    const { id } = await errandJson<Execution>(["run", KETTLE, "--start-url", shop.url], env);
    await expect.poll(() => service.stderr()).toContain(`"execution_id":"${id}"`);
    expect(await service.end("SIGTERM")).toBe(0);
  });
});
