import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CallToolResult,
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { TestConnection, TestService } from "./service.ts";

/** Both ways in which clients speak the protocol: with a handshake, and with everything in each request. */
export const ERAS = ["legacy", "auto"] as const;

interface McpClientOptions {
  era?: (typeof ERAS)[number];
  /** Present in a client that can open pages. */
  onPage?: (request: { message: string; url: string }) => Promise<ElicitResult["action"]>;
}

export function newMcpClient({ era = "auto", onPage }: McpClientOptions = {}): Client {
  const client = new Client(
    { name: "test-client", version: "1.0.0" },
    {
      versionNegotiation: { mode: era },
      capabilities: onPage === undefined ? {} : { elicitation: { url: {} } },
    },
  );
  if (onPage !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (params.mode !== "url") throw new Error("only pages may be asked for");
      return { action: await onPage({ message: params.message, url: params.url }) };
    });
  }
  return client;
}

/** A token for /mcp, as an operator issues it. */
export function issueMcpToken(service: TestService, connectionId: string, name = "test client"): Promise<string> {
  return service.operations.mcpTokens.issue(connectionId, { id: name, name, resource: `${service.url}/mcp` });
}

/** The official client, connected over real HTTP. */
export async function connectMcp(
  service: TestService,
  { connectionId }: Pick<TestConnection, "connectionId">,
  options: McpClientOptions = {},
): Promise<Client> {
  const client = newMcpClient(options);
  const authorization = `Bearer ${await issueMcpToken(service, connectionId)}`;
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers: { authorization } } }),
  );
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect results of any shape
type AnyOutput = any;

/** Calls a tool. The structured output, or the text of an error. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options: Parameters<Client["callTool"]>[1] = {},
): Promise<{ result: CallToolResult; output: AnyOutput; text: string }> {
  const result = (await client.callTool({ name, arguments: args }, options)) as CallToolResult;
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { result, output: result.structuredContent, text };
}

/** A site with the metadata document of an MCP client. */
export async function startClientSite(redirectUri: string, more: Record<string, unknown> = {}) {
  const documents = new Map<string, { status?: number; headers?: Record<string, string>; body: string }>();
  const server = createServer((request, response) => {
    const { status = 200, headers = {}, body } = documents.get(request.url ?? "") ?? { status: 404, body: "" };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const add = (path: string, fields: Record<string, unknown> = {}) => {
    const url = `http://${host}${path}`;
    const document = {
      client_id: url,
      client_name: "Quill Assistant",
      redirect_uris: [redirectUri],
      ...more,
      ...fields,
    };
    documents.set(path, { body: JSON.stringify(document) });
    return url;
  };
  return {
    host,
    add,
    set: (path: string, answer: { status?: number; headers?: Record<string, string>; body: string }) => {
      documents.set(path, answer);
      return `http://${host}${path}`;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
