import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../demo/shop.ts";
import type { Execution } from "../src/contract/execution.ts";
import { createTestDatabase, type TestDatabase } from "./_harness/database.ts";
import { openShop } from "./_harness/demo-shop.ts";
import { createDataDir, errandJson, runErrand, startErrand } from "./_harness/errand.ts";

const KETTLE = "Search for kettle and tell me the price of the Brindle Kettle.";

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

  it("runs one errand by itself: steps as they come, then the result, and ends with 0", async () => {
    const { code, stdout, stderr } = await runErrand(["run", KETTLE, "--start-url", shop.url], env);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("64.90");
    expect(stdout).toMatch(/✓ Verified: .+\nChanged: nothing\nPage: .+/);
    expect(stderr).toMatch(/1\. goto http.*\n.*2\. fill "Search all products"/);
    const [, folder = ""] = /Evidence: (.+)/.exec(stdout) ?? [];
    expect(folder.startsWith(join(data.path, "artifacts"))).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });

  it("prints the execution and nothing else, when asked for JSON, with the data that a schema asks for", async () => {
    const schema = join(data.path, "schema.json");
    await writeFile(
      schema,
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

  it("keeps one application and one connection of its own", async () => {
    const applications = await database.query("select id from applications where name = 'Command line'");
    expect(applications).toHaveLength(1);
    expect(await database.query("select id from connections")).toHaveLength(1);
  });

  it.each([
    ["a prompt that is not understood", ["Ponder it all."], 5, "unsupported prompt"],
    ["something that is not there", ["Open Unobtainable Teapot."], 3, "goal unreachable"],
  ])("ends %s with a code of its own, says why and what was changed", async (_name, [prompt = ""], code, status) => {
    const result = await runErrand(["run", prompt, "--start-url", shop.url], env);
    expect(result, result.stderr).toMatchObject({ code });
    expect(result.stdout).toContain(`✗ Failed: ${status}`);
    expect(result.stdout).toContain("Changed: nothing");
  });

  it("ends with 4 when the site wants somebody to sign in", async () => {
    const result = await runErrand(["run", "What is the price of the kettle?", "--start-url", siteUrl], env);
    expect(result.stdout + result.stderr).toContain("reauthorization required");
    expect(result.code).toBe(4);
  });

  it("cancels on Ctrl-C, and ends with 130", async () => {
    asked = Promise.withResolvers();
    const main = join(import.meta.dirname, "../src/main.ts");
    const args = [main, "run", "What is the price of the kettle?", "--start-url", `${siteUrl}/hangs`, "--json"];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    await asked.promise;
    child.kill("SIGINT");
    const [code] = await once(child, "close");
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ terminal: { status: "canceled" }, usage: { charged: false } });
  });

  it.each([
    [["run"], 2, "missing required argument 'prompt'"],
    [["run", " "], 1, "prompt: must not be blank"],
    [["run", "x", "--start-url", "ftp://x"], 1, "start-url: must be an http or https address"],
    [["run", "x", "--output-schema", "/nowhere.json"], 1, "cannot be read as JSON"],
    [["run", "x", "--application", "nonsense"], 1, "There is no application"],
  ])("%j ends with %i and says why", async (args, code, message) => {
    const result = await runErrand(args, env);
    expect(result.stderr).toContain(message);
    expect(result).toMatchObject({ code, stdout: "" });
  });

  it("says how to get a browser when there is none, and leaves nothing waiting", async () => {
    const result = await runErrand(["run", KETTLE, "--start-url", shop.url], {
      ...env,
      ERRAND_BROWSER_PATH: "/nowhere",
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("ERRAND_BROWSER_PATH");
    expect(await database.query("select id from executions where status in ('QUEUED', 'RUNNING')")).toEqual([]);
  });

  it("opens the demo shop when an errand starts there and nobody has", async () => {
    const result = await runErrand(["run", KETTLE, "--start-url", "http://127.0.0.1:4010/"], {
      ...env,
      ERRAND_DEMO: "true",
    });
    expect(result, result.stdout + result.stderr).toMatchObject({ code: 0 });
  });

  it("leaves the work to a service that runs on the same database", async () => {
    const service = await startErrand(env, ["start"]);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 20_000 }).toBe(200);
    const { id } = await errandJson<Execution>(["run", KETTLE, "--start-url", shop.url], env);
    expect(service.stderr()).toContain(`"execution_id":"${id}"`);
    expect(await service.end("SIGTERM")).toBe(0);
  });
});
