import type { McpServer } from "@modelcontextprotocol/server";
import { LIST_DEFAULT_LIMIT } from "../contract/execution-request.ts";
import { toWire } from "../executions/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { interactionPageUrl, type McpCaller, type McpDomain } from "./domain.ts";
import { toErrandResult, toJsonResult, withToolErrors } from "./results.ts";
import { schemas } from "./schemas.ts";

/** The tools for errands that exist already. */
export function addErrandTools(server: McpServer, domain: McpDomain, caller: McpCaller): void {
  const { executions, interactions } = domain;
  const { connectionId } = caller;

  server.registerTool(
    "get_errand",
    {
      title: "Get an errand",
      description:
        "The state of an errand, with its result or with what it waits for. With wait, returns when it has ended.",
      inputSchema: schemas.getErrand,
      outputSchema: schemas.errandOutput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id, wait = 0 }, { mcpReq }) =>
      withToolErrors(domain, caller, async () => {
        const signal = AbortSignal.any([mcpReq.signal, domain.stopping]);
        const record =
          wait === 0
            ? await executions.get(connectionId, id)
            : await executions.waitUntilEnded(connectionId, id, wait, signal);
        return toErrandResult(domain, caller, record);
      }),
  );

  server.registerTool(
    "list_errands",
    {
      title: "List errands",
      description: "The errands of this connection, newest first.",
      inputSchema: schemas.listErrands,
      outputSchema: schemas.listOutput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ limit = LIST_DEFAULT_LIMIT, after, status }) =>
      withToolErrors(domain, caller, async () => {
        const page = await executions.list(connectionId, { limit, after: after ?? null, status });
        return toJsonResult({ executions: page.executions.map(toWire), has_more: page.hasMore });
      }),
  );

  server.registerTool(
    "cancel_errand",
    {
      title: "Cancel an errand",
      description: "Stops an errand. What it has already changed on the site stays changed.",
      inputSchema: schemas.cancelErrand,
      outputSchema: schemas.errandOutput,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    ({ id }) =>
      withToolErrors(domain, caller, async () => {
        domain.countChange(connectionId);
        const { isError: _, ...canceled } = await toErrandResult(
          domain,
          caller,
          await executions.cancel(connectionId, id),
        );
        return canceled;
      }),
  );

  server.registerTool(
    "answer_interaction",
    {
      title: "Answer an errand's question",
      description: [
        "Passes the user's answer on to an errand that waits for it, or declines. Ask the user first; never answer for them.",
        "Approvals, secrets such as one-time codes, and the browser itself are for the user alone: they open interaction.link.",
      ].join(" "),
      inputSchema: schemas.answerInteraction,
      outputSchema: schemas.errandOutput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    ({ id, interaction_id, action, text }) =>
      withToolErrors(domain, caller, async () => {
        domain.countChange(connectionId);
        if (action === "answer") await refuseDecisions(id);
        const answer = { id: interaction_id, action, ...(text === undefined ? {} : { text }) };
        await interactions.answer(connectionId, id, answer, "application");
        return toErrandResult(domain, caller, await executions.get(connectionId, id));
      }),
  );

  /** What the user alone decides, and secrets, must not pass through the client and its model. */
  async function refuseDecisions(errandId: string): Promise<void> {
    const open = await interactions.findOpen(connectionId, errandId);
    if (open === null || (open.kind === "question" && !open.request.is_secret)) return;
    const link = interactionPageUrl(domain, open.id);
    throw new CallerError(
      "FORBIDDEN",
      open.request.is_secret
        ? `This answer is a secret. Ask the user to enter it on ${link}, never in this chat.`
        : `Only the user can do this. Ask them to open ${link}, or decline.`,
    );
  }
}
