import type { CallToolResult } from "@modelcontextprotocol/server";
import { ERRORS } from "../contract/error.ts";
import { type ExecutionRecord, isTerminal, toWire } from "../executions/execution.ts";
import type { InteractionRecord } from "../executions/interactions.ts";
import { CallerError } from "../lib/errors.ts";
import { interactionPageUrl, type McpCaller, type McpDomain, reauthorizationUrl } from "./domain.ts";
import type { ErrandOutput, OpenInteraction } from "./schemas.ts";

/** An errand as it is now. A failed one is an error: the model should not take it for a result. */
export async function toErrandResult(
  domain: McpDomain,
  caller: McpCaller,
  record: ExecutionRecord,
): Promise<CallToolResult> {
  const open = isTerminal(record.status) ? null : await domain.interactions.findOpen(caller.connectionId, record.id);
  const interaction = open === null ? null : toOpenInteraction(domain, open);
  const output: ErrandOutput = {
    execution: toWire(record),
    interaction,
    next_step: findNextStep(domain, caller, record, interaction),
  };
  return {
    content: [
      { type: "text", text: describeErrand(output) },
      {
        type: "resource_link",
        uri: executionUri(record.id),
        name: "errand",
        description: "The errand with its evidence",
        mimeType: "application/json",
      },
    ],
    structuredContent: output,
    ...(record.status === "FAILED" ? { isError: true } : {}),
  };
}

export function toJsonResult(output: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(output) }], structuredContent: output };
}

export function executionUri(id: string): string {
  return `errand://executions/${id}`;
}

/** With the page that requires a sign-in: the link that needs none could be opened by the client itself. */
function toOpenInteraction(domain: McpDomain, { id, kind, request, expiresAt }: InteractionRecord): OpenInteraction {
  const { message, amount, recipient, items, options, is_secret } = request;
  return {
    id,
    kind,
    message,
    amount,
    recipient,
    items,
    options,
    is_secret,
    link: interactionPageUrl(domain, id),
    expires_at: expiresAt.toISOString(),
  };
}

/** Runs a tool. What the caller can act on becomes an error result that says what to do next. */
export async function withToolErrors<Result>(
  domain: McpDomain,
  caller: McpCaller,
  run: () => Promise<Result>,
): Promise<Result | CallToolResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CallerError) return toErrorResult(domain, caller, error);
    domain.onFailure(error);
    return errorResult("INTERNAL: Something went wrong on Errand's side. Its log has the details. Try again later.");
  }
}

function toErrorResult(domain: McpDomain, caller: McpCaller, error: CallerError): CallToolResult {
  const details = (error.details ?? []).map(({ path, message }) => `- ${path}: ${message}`);
  const next =
    error.code === "CONNECTION_REAUTHORIZATION_REQUIRED"
      ? `Ask the user to open ${reauthorizationUrl(domain, caller)} and to sign in there. Then call run_errand again.`
      : (ADVICE[error.code] ?? (error.code in ERRORS ? ERRORS[error.code as keyof typeof ERRORS].next : ""));
  return errorResult([`${error.code}: ${error.message}`, ...details, next].filter(Boolean).join("\n"));
}

/** For errors whose usual advice is about HTTP. */
const ADVICE: Readonly<Record<string, string>> = {
  EXECUTION_NOT_FOUND: "list_errands returns the ids of the errands that this connection has.",
  RATE_LIMITED: "Wait a minute, then call it again.",
};

function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function findNextStep(
  domain: McpDomain,
  caller: McpCaller,
  { id, status, terminal, error }: ExecutionRecord,
  interaction: OpenInteraction | null,
): string | null {
  if (interaction !== null) return describeInteractionStep(interaction, id);
  if (!isTerminal(status)) return `It is still running. Call get_errand with id ${id} and wait 30 until it has ended.`;
  if (terminal?.status === "reauthorization_required") {
    return `Ask the user to open ${reauthorizationUrl(domain, caller)} and to sign in there. Then call run_errand again.`;
  }
  return error?.message ?? null;
}

function describeInteractionStep({ kind, is_secret, link, id }: OpenInteraction, errandId: string): string {
  const then = `Then call get_errand with id ${errandId} and wait 30.`;
  const page = `Ask the user to open ${link}`;
  if (kind === "approval") return `${page} and to approve or decline there. ${then}`;
  if (kind === "takeover") return `${page} and to use the browser there. ${then}`;
  if (is_secret) return `${page} and to enter the answer there, never in this chat. ${then}`;
  return `Ask the user, and send the answer with answer_interaction (interaction_id ${id}), or ask them to open ${link}. ${then}`;
}

function describeErrand(output: ErrandOutput): string {
  const { execution, interaction, next_step } = output;
  const { status, terminal, result } = execution;
  // The message of an error begins with the reason.
  const reason = next_step === execution.error?.message ? "" : ` ${terminal?.reason}`;
  const lines =
    result !== null
      ? [result.final_text, `Verified: ${result.evidence.verifier.reason}`]
      : [`${status}${terminal === null ? "" : `: ${terminal.status}.${reason}`}`];
  return [
    ...lines,
    ...(interaction === null ? [] : [`Waiting for the user (${interaction.kind}): ${interaction.message}`]),
    ...(next_step === null ? [] : [next_step]),
    JSON.stringify(output),
  ].join("\n");
}
