import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { createDataDir, runErrand } from "../_harness/errand.ts";
import { call, ERAS, newMcpClient } from "../_harness/mcp.ts";

const PROJECT = join(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(PROJECT, "docs/mcp.md"), "utf8");

interface Command {
  command: string;
  args: string[];
}

/** The servers in the JSON snippets of the guide. */
const SERVERS = [...GUIDE.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => {
  const config = JSON.parse(text);
  return (config.mcpServers ?? config.servers).errand as Partial<Command> & { url?: string };
});

describe("errand mcp", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let shop: DemoShop;
  let env: Record<string, string>;

  beforeAll(async () => {
    shop = await openShop();
    data = await createDataDir();
    database = await createTestDatabase();
    env = {
      PATH: process.env["PATH"] ?? "",
      ...data.env,
      DATABASE_URL: database.url,
      ERRAND_ALLOW_HOSTS: new URL(shop.url).host,
    };
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function connect({ command, args }: Command, era: (typeof ERAS)[number]) {
    const transport = new StdioClientTransport({ command, args, env, stderr: "pipe" });
    const client: Client = newMcpClient({ era });
    const broken: Error[] = [];
    client.onerror = (error) => broken.push(error);
    await client.connect(transport);
    return { client, broken, [Symbol.asyncDispose]: () => client.close() };
  }

  it("is the command in the guide, whose URLs are those of the service", () => {
    expect(SERVERS).toHaveLength(4);
    for (const { command, args, url } of SERVERS) {
      if (url === undefined) expect([command, args]).toEqual(["/opt/errand/bin/errand", ["mcp"]]);
      else expect(new URL(url).pathname).toBe("/mcp");
    }
  });

  it.each(ERAS)("runs a real errand for a client of the era %s, and prints nothing but the protocol", async (era) => {
    const [{ args = [] } = {}] = SERVERS;
    await using connected = await connect({ command: join(PROJECT, "bin/errand"), args }, era);
    const { client, broken } = connected;
    const messages: string[] = [];
    const { output, text } = await call(
      client,
      "run_errand",
      {
        prompt: "Search for kettle, open Brindle Kettle and tell me its price.",
        start_url: shop.url,
        output_schema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
      },
      { onprogress: ({ message = "" }) => messages.push(message), timeout: 170_000 },
    );
    expect(output?.execution.result?.extracted, text).toEqual({ price: 64.9 });
    expect(messages.filter((message) => message.startsWith("Step "))).not.toEqual([]);
    const uri = `errand://executions/${output.execution.id}`;
    const [execution] = (await client.readResource({ uri })).contents;
    const { screenshots } = JSON.parse((execution as { text: string }).text);
    const [picture] = (await client.readResource({ uri: screenshots[0].uri })).contents;
    expect((picture as { blob: string }).blob.length).toBeGreaterThan(1_000);
    expect(broken).toEqual([]);
  });

  it("cancels the errand when the client cancels the call", async () => {
    await using connected = await connect({ command: join(PROJECT, "bin/errand"), args: ["mcp"] }, "legacy");
    const { client } = connected;
    const controller = new AbortController();
    const running = call(
      client,
      "run_errand",
      { prompt: 'Wait until the page says "never to be seen".', start_url: shop.url },
      { signal: controller.signal, onprogress: () => controller.abort() },
    );
    await expect(running).rejects.toThrow();
    const list = async () => (await call(client, "list_errands", { limit: 1 })).output.executions[0];
    await expect.poll(async () => (await list()).terminal?.status).toBe("canceled");
  });

  it("cancels the errand when the client ends", async () => {
    const command = { command: join(PROJECT, "bin/errand"), args: ["mcp"] };
    const { client } = await connect(command, "auto");
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const prompt = 'Wait until the page says "not to be seen either".';
    const running = call(client, "run_errand", { prompt, start_url: shop.url }, { onprogress: () => resolve() });
    running.catch(() => {});
    await started;
    await client.close();
    await using connected = await connect(command, "auto");
    const list = async () => (await call(connected.client, "list_errands", { limit: 1 })).output.executions[0];
    await expect.poll(list).toMatchObject({ prompt, terminal: { status: "canceled" } });
  });

  it("reports a wrong application on standard error and ends with 2", async () => {
    const { code, stdout, stderr } = await runErrand(["mcp", "--application", crypto.randomUUID()], env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--application");
  });
});
