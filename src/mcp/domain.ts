import type { Connection } from "../connections/connections.ts";
import type { Artifacts } from "../executions/artifacts.ts";
import type { Executions } from "../executions/executions.ts";
import type { Interactions } from "../executions/interactions.ts";

/** What the tools act on: the same rules as the HTTP API's. */
export interface McpDomain {
  executions: Executions;
  interactions: Interactions;
  artifacts: Artifacts;
  findConnection(id: string): Promise<Connection | null>;
  /** Where people open pages. */
  publicUrl: string;
  version: string;
  /** Without a model, prompts are read as steps. */
  hasModel: boolean;
  /** Aborts when this process stops: tools that wait return what they know. */
  stopping: AbortSignal;
  /** Called for every new execution. */
  onCreated(executionId: string): void;
  /** Called before every change. Throws when there were too many. */
  countChange(connectionId: string): void;
  /** A failure that the client is told nothing about. */
  onFailure(error: unknown): void;
}

/** Who calls: the connection of the token, or the operator's. */
export interface McpCaller {
  connectionId: string;
  application: { id: string; name: string; access: "all" | "read_only" };
}

/** The page on which the person decides. Only they and the application's owner can use it, and only signed in. */
export function interactionPageUrl({ publicUrl }: Pick<McpDomain, "publicUrl">, interactionId: string): string {
  return `${publicUrl}/i/${interactionId}`;
}

/** Consent and sign-in again. The user ends on a page of ours: the client is told nothing and needs no new token. */
export function reauthorizationUrl(
  { publicUrl }: Pick<McpDomain, "publicUrl">,
  { application }: Pick<McpCaller, "application">,
): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: application.id,
    redirect_uri: `${publicUrl}/connected`,
  });
  return `${publicUrl}/v1/oauth/authorize?${query}`;
}
