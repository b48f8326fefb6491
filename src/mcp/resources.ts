import { buffer } from "node:stream/consumers";
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from "@modelcontextprotocol/server";
import { type ExecutionRecord, toWire } from "../executions/execution.ts";
import { CallerError } from "../lib/errors.ts";
import type { McpCaller, McpDomain } from "./domain.ts";
import { executionUri } from "./results.ts";

const LISTED = 20;
const EVENTS_LIMIT = 500;
/** A resource is one message, in Base64. */
const SCREENSHOT_MAX_BYTES = 8 * 1024 * 1024;

/** Executions, their events and their screenshots, each under its own URI. */
export function addResources(server: McpServer, domain: McpDomain, caller: McpCaller): void {
  const { executions, artifacts } = domain;
  const { connectionId } = caller;

  server.registerResource(
    "errand",
    new ResourceTemplate("errand://executions/{id}", { list: listErrands }),
    { title: "Errand", description: "An errand with its result and evidence", mimeType: "application/json" },
    (uri, variables) =>
      readResource(uri, async () => {
        const record = await executions.get(connectionId, pick(variables, "id"));
        const files = await artifacts.list(connectionId, record.id);
        const screenshots = files
          .filter(({ kind, expiredAt }) => kind === "screenshot" && expiredAt === null)
          .map(({ id, name }) => ({ name, uri: `${executionUri(record.id)}/screenshots/${id}` }));
        return json(uri, { execution: toWire(record), events: `${executionUri(record.id)}/events`, screenshots });
      }),
  );

  server.registerResource(
    "events",
    new ResourceTemplate("errand://executions/{id}/events", { list: undefined }),
    { title: "Events of an errand", description: "What the errand did, step by step", mimeType: "application/json" },
    (uri, variables) =>
      readResource(uri, async () => {
        const page = { after: 0, limit: EVENTS_LIMIT };
        const { events, hasMore } = await executions.listEvents(connectionId, pick(variables, "id"), page);
        return json(uri, { events, has_more: hasMore });
      }),
  );

  server.registerResource(
    "screenshot",
    new ResourceTemplate("errand://executions/{id}/screenshots/{screenshotId}", { list: undefined }),
    { title: "Screenshot of an errand", description: "A page as the errand saw it" },
    (uri, variables) =>
      readResource(uri, async () => {
        const artifact = await artifacts.get(connectionId, pick(variables, "id"), pick(variables, "screenshotId"));
        if (artifact.kind !== "screenshot" || artifact.bytes > SCREENSHOT_MAX_BYTES) {
          throw new CallerError("NOT_FOUND", "This errand has no screenshot with this id.");
        }
        const content = await buffer(await artifacts.open(artifact));
        return {
          contents: [{ uri: uri.href, mimeType: artifact.contentType, blob: content.toString("base64") }],
        };
      }),
  );

  async function listErrands() {
    const page = await executions.list(connectionId, { limit: LISTED, after: null });
    return { resources: page.executions.map(toListed) };
  }

  async function readResource(uri: URL, read: () => Promise<ReadResourceResult>): Promise<ReadResourceResult> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CallerError)) {
        domain.onFailure(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, "Something went wrong on Errand's side.");
      }
      if (/NOT_FOUND$/.test(error.code)) throw new ResourceNotFoundError(uri.href);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
    }
  }
}

const NAME_MAX_CHARS = 80;

function toListed({ id, prompt, status }: ExecutionRecord) {
  return {
    uri: executionUri(id),
    name: [...prompt].slice(0, NAME_MAX_CHARS).join(""),
    description: status,
    mimeType: "application/json",
  };
}

function pick(variables: Variables, name: string): string {
  const value = variables[name];
  return typeof value === "string" ? value : "";
}

function json(uri: URL, content: object): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(content) }] };
}
