import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readLaunchOptions } from "../harness/browsers.ts";
import { CpuRecording } from "../harness/cpu.ts";
import { type CartOrder, VOUCHER } from "./bare-script.ts";
import { type Peer, readPeerVersion } from "./peer.ts";

const PACKAGE = "@playwright/mcp";

/** Playwright MCP with its default settings, driven over stdio by a client that knows the errand. */
export async function findPlaywrightMcp(folder: string): Promise<Peer> {
  return {
    name: `Playwright MCP ${await readPeerVersion(folder, PACKAGE)}`,
    async run(shopUrl, order) {
      await using server = await openServer(join(folder, "node_modules", PACKAGE, "cli.js"));
      using recording = new CpuRecording([server.pid], { isSampled: true });
      const startedMs = performance.now();
      const total = await runOrder(server, shopUrl, order);
      return { ms: performance.now() - startedMs, cpu: recording.read(), total };
    },
  };
}

interface McpServer extends AsyncDisposable {
  pid: number;
  /** Returns the last snapshot of the page. Calls that change little, such as typing, have none of their own. */
  call(tool: string, input: Record<string, unknown>): Promise<string>;
}

/** A new server, and with it an empty cart. Its browser is open when this returns. */
async function openServer(main: string): Promise<McpServer> {
  await using parts = new AsyncDisposableStack();
  // It writes snapshots into its working directory.
  const cwd = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(cwd, { recursive: true, force: true }));
  const { executablePath, args, chromiumSandbox } = await readLaunchOptions();
  const launchOptions = { headless: true, executablePath, args, chromiumSandbox };
  const config = join(cwd, "config.json");
  await writeFile(config, JSON.stringify({ browser: { isolated: true, launchOptions } }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "--config", config],
    cwd,
    stderr: "ignore",
  });
  const client = new Client({ name: "benchmark", version: "1.0.0" });
  await client.connect(transport);
  parts.defer(() => client.close());
  let snapshot = "";
  const call: McpServer["call"] = async (tool, input) => {
    const { content, isError } = await client.callTool({ name: tool, arguments: input });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    if (isError === true) throw new Error(`Playwright MCP: ${text}`);
    // The response names the file with the snapshot.
    const [, file] = /\[Snapshot\]\((.+)\)/.exec(text) ?? [];
    if (file !== undefined) snapshot = await readFile(join(cwd, file), "utf8");
    return snapshot;
  };
  await call("browser_navigate", { url: "about:blank" });
  const owned = parts.move();
  return { pid: transport.pid ?? 0, call, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The errand with a model that replies at once: each target by its ref in the last snapshot. */
async function runOrder({ call }: McpServer, shopUrl: string, order: CartOrder): Promise<string> {
  let page = await call("browser_tabs", { action: "new", url: shopUrl });
  const search = target(page, "searchbox", "Search all products");
  page = await call("browser_type", { ...search, text: order.search, submit: true });
  page = await call("browser_click", target(page, "link", order.product));
  page = await call("browser_select_option", { ...target(page, "combobox", "Quantity"), values: [order.quantity] });
  page = await call("browser_click", target(page, "button", "Add to cart"));
  page = await call("browser_type", { ...target(page, "textbox", "Voucher code"), text: VOUCHER });
  page = await call("browser_click", target(page, "button", "Apply"));
  return /term(?: \[ref=\w+\])?: Total\n\s*- definition(?: \[ref=\w+\])?: (.+)$/m.exec(page)?.[1] ?? "";
}

function target(snapshot: string, role: string, name: string): { element: string; target: string } {
  const line = snapshot.split("\n").find((each) => each.trimStart().startsWith(`- ${role} "${name}"`));
  const [, ref] = /\[ref=(\w+)\]/.exec(line ?? "") ?? [];
  if (ref === undefined) throw new Error(`The snapshot has no ${role} "${name}":\n${snapshot}`);
  return { element: name, target: ref };
}
