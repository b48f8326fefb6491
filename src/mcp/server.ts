import { McpServer } from "@modelcontextprotocol/server";
import type { McpCaller, McpDomain } from "./domain.ts";
import { addErrandTools } from "./errand-tools.ts";
import { addResources } from "./resources.ts";
import { addRunErrand } from "./run-errand.ts";

const INSTRUCTIONS = [
  "Errand carries out tasks on websites in a real browser, signed in as the user, and verifies every result.",
  "Start with run_errand. If the result says that the user must open a page, give them the link and wait: you cannot decide for them.",
].join(" ");
/** Approvals, questions and takeovers of one errand: more than any errand should need. */
const MAX_PAGES = 20;

/** An MCP server for one caller. Cheap: one is made for each HTTP request. */
export function createErrandServer(domain: McpDomain, caller: McpCaller): McpServer {
  const server = new McpServer(
    { name: "errand", title: "Errand", version: domain.version, websiteUrl: domain.publicUrl },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: {}, resources: {} },
      inputRequired: { maxRounds: MAX_PAGES },
    },
  );
  addRunErrand(server, domain, caller);
  addErrandTools(server, domain, caller);
  addResources(server, domain, caller);
  return server;
}
