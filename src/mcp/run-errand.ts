import { setTimeout } from "node:timers/promises";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import type { ExecutionRecord } from "../executions/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { interactionPageUrl, type McpCaller, type McpDomain, reauthorizationUrl } from "./domain.ts";
import { toErrandResult, withToolErrors } from "./results.ts";
import { type RunErrand, schemas } from "./schemas.ts";

/** Where no model reads the prompt. */
const STEPS_ADVICE = [
  "Write the whole task in one prompt, as plain sentences that name each step in the words of the site, and nothing else:",
  '"Search for kettle, open Brindle Kettle and tell me its price.", "Fill Email with ada@example.com and click Subscribe."',
].join(" ");

const PAGE = "page";
const POLL_MS = 1_000;
/** How long an opened sign-in page is waited for. */
const SIGN_IN_MS = 10 * 60_000;

/**
 * Where a repeated call continues. Clients repeat the call when the user has agreed to open a page. The state comes back from
 * the client, so it grants nothing: every id is looked up among those of the token's connection.
 */
type State = { kind: "sign_in" } | { kind: "follow"; executionId: string; after: number; askedId: string | null };

/** Creates an execution and waits for its end. Reports each step, and asks the user to open a page where only they can decide. */
export function addRunErrand(server: McpServer, domain: McpDomain, caller: McpCaller): void {
  const isReadOnly = caller.application.access === "read_only";
  server.registerTool(
    "run_errand",
    {
      title: "Run an errand",
      description: [
        `Carries out a task on a website in a real browser, for the user who connected "${caller.application.name}", and waits for the result.`,
        "The result was checked by an independent verifier. If the task cannot be done or verified, the result is an error that says why.",
        isReadOnly
          ? "It only reads: it cannot change anything."
          : "It can buy, send, publish, change or delete things, as the task says.",
        domain.hasModel ? "Write the whole task in one prompt." : STEPS_ADVICE,
        "To get data in a certain shape, pass output_schema.",
      ].join(" "),
      inputSchema: schemas.runErrand,
      outputSchema: schemas.errandOutput,
      annotations: {
        readOnlyHint: isReadOnly,
        destructiveHint: !isReadOnly,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (input, context) =>
      withToolErrors(domain, caller, () => createRun(server, domain, caller, context).run(input as RunErrand)),
  );
}

function createRun(server: McpServer, domain: McpDomain, caller: McpCaller, context: ServerContext) {
  const { executions, interactions } = domain;
  const { connectionId } = caller;
  const { signal } = context.mcpReq;
  const waiting = AbortSignal.any([signal, domain.stopping]);

  /** The tool's result, or the page that the user has to open first. */
  async function run(input: RunErrand): Promise<CallToolResult | InputRequiredResult> {
    const state = readState(context.mcpReq.requestState());
    const answer = inputResponse(context.mcpReq.inputResponses, PAGE);
    const hasAgreed = answer.kind === "elicit" && answer.action === "accept";
    if (state?.kind === "follow") {
      if (!hasAgreed) return stopAsking(state, answer.kind === "elicit" && answer.action === "decline");
      return follow(state);
    }
    if (state?.kind === "sign_in" && hasAgreed) await waitForSignIn();
    const created = await create(input, state === null);
    return "resultType" in created ? created : follow({ executionId: created.id, after: 0, askedId: null });
  }

  async function create(input: RunErrand, mayAsk: boolean): Promise<ExecutionRecord | InputRequiredResult> {
    domain.countChange(connectionId);
    try {
      const { execution } = await executions.create(connectionId, input, null);
      domain.onCreated(execution.id);
      return execution;
    } catch (error) {
      const isSignedOut = error instanceof CallerError && error.code === "CONNECTION_REAUTHORIZATION_REQUIRED";
      if (!isSignedOut || !mayAsk || !canOpenPages()) throw error;
      return askToOpen("Sign in again, so that Errand can run errands for you.", reauthorizationUrl(domain, caller), {
        kind: "sign_in",
      });
    }
  }

  /** When the client cancels the call or disconnects, the execution is canceled, too. */
  async function follow(
    from: Omit<Extract<State, { kind: "follow" }>, "kind">,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { executionId, askedId } = from;
    let seen = from.after;
    for await (const batch of await executions.followEvents(connectionId, executionId, from.after, waiting)) {
      for (const event of batch) {
        seen = event.id;
        await reportProgress(event);
      }
      const open = await interactions.findOpen(connectionId, executionId);
      if (open === null || open.id === askedId) continue;
      if (!canOpenPages()) break;
      return askToOpen(open.request.message, interactionPageUrl(domain, open.id), {
        kind: "follow",
        executionId,
        after: seen,
        askedId: open.id,
      });
    }
    if (signal.aborted) await cancel(executionId);
    return toErrandResult(domain, caller, await executions.get(connectionId, executionId));
  }

  /** The user does not open the page. If they said no, the errand's question is declined: nothing is sent. */
  async function stopAsking({ executionId, askedId }: Extract<State, { kind: "follow" }>, isDeclined: boolean) {
    const open = await interactions.findOpen(connectionId, executionId);
    if (isDeclined && open !== null && open.id === askedId) {
      await interactions.answer(connectionId, executionId, { id: open.id, action: "decline" }, "application");
      await executions.waitUntilEnded(connectionId, executionId, 30, waiting);
    }
    return toErrandResult(domain, caller, await executions.get(connectionId, executionId));
  }

  async function cancel(executionId: string): Promise<void> {
    try {
      await executions.cancel(connectionId, executionId);
    } catch (error) {
      if (!(error instanceof CallerError && error.code === "EXECUTION_FINISHED")) throw error;
    }
  }

  async function waitForSignIn(): Promise<void> {
    const deadline = AbortSignal.any([waiting, AbortSignal.timeout(SIGN_IN_MS)]);
    while (!deadline.aborted && (await domain.findConnection(connectionId))?.state !== "ACTIVE") {
      await setTimeout(POLL_MS, undefined, { signal: deadline }).catch(() => {});
    }
  }

  /** For the user's eyes only: nothing that is entered there passes through the client. */
  function askToOpen(message: string, url: string, state: State): InputRequiredResult {
    return inputRequired({
      inputRequests: { [PAGE]: inputRequired.elicitUrl({ message, url }) },
      requestState: JSON.stringify(state),
    });
  }

  function canOpenPages(): boolean {
    // By request since the revision of 2026, by connection before.
    const envelope = context.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
    const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
    return declared?.elicitation?.url !== undefined;
  }

  async function reportProgress(event: ExecutionEvent): Promise<void> {
    const progressToken = context.mcpReq._meta?.progressToken;
    const message = describeProgress(event);
    if (progressToken === undefined || message === null || signal.aborted) return;
    const params = { progressToken, progress: event.id, message };
    // The client may have just left.
    await context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  }

  return { run };
}

/** Null for what is no state of ours. */
function readState(state: unknown): State | null {
  const parsed = typeof state === "string" ? parseObject(state) : null;
  if (parsed === null) return null;
  if (parsed["kind"] === "sign_in") return { kind: "sign_in" };
  const { executionId, after, askedId } = parsed;
  const isKnown =
    parsed["kind"] === "follow" &&
    typeof executionId === "string" &&
    parseUuid(executionId) !== null &&
    Number.isSafeInteger(after);
  if (!isKnown) throw new CallerError("INVALID_REQUEST", "The request state is not one that Errand has sent.");
  return {
    kind: "follow",
    executionId,
    after: Math.min(Math.max(Number(after), 0), 2_147_483_647),
    askedId: typeof askedId === "string" ? askedId : null,
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const MAX_LABEL_CHARS = 80;

/** What has happened, in a few words; null for events that are no progress. Entered text is left out. */
function describeProgress({ type, data }: ExecutionEvent): string | null {
  switch (type) {
    case "execution.queued":
      return "Queued";
    case "execution.started":
      return "Started";
    case "step":
      return describeStep(data);
    case "interaction":
      return data["state"] === "open" ? `Waiting for the user: ${data["message"]}` : "The user's answer has arrived";
    case "sign_in":
      return data["outcome"] === "renewed" ? "Signed in again with the stored credentials" : null;
    case "verification":
      return "Checked by the verifier";
    default:
      return null;
  }
}

function describeStep({ step, action, input, outcome }: ExecutionEvent["data"]): string {
  const { label, url } = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  const page = typeof url === "string" ? URL.parse(url) : null;
  const target =
    typeof label === "string" && label !== ""
      ? ` "${label.slice(0, MAX_LABEL_CHARS)}"`
      : page === null
        ? ""
        : ` ${page.origin}${page.pathname}`.slice(0, MAX_LABEL_CHARS);
  return `Step ${step}: ${action}${target}${outcome === "failed" ? " (failed)" : ""}`;
}
