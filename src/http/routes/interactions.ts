import type { FastifyReply, FastifyRequest } from "fastify";
import type { Person } from "../../accounts/person.ts";
import { ExecutionPath } from "../../contract/execution-request.ts";
import {
  AnsweredInteraction,
  AnswerInteraction,
  type InteractionAction,
  type InteractionAnswerer,
  InteractionEnvelope,
} from "../../contract/interaction.ts";
import type { Artifacts } from "../../executions/artifacts.ts";
import { isTerminal } from "../../executions/execution.ts";
import type { InteractionRecord } from "../../executions/interactions.ts";
import { CallerError } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { sendArtifact } from "../execution-responses.ts";
import { errorPage } from "../pages/error-pages.ts";
import { interactionPage } from "../pages/interaction-page.ts";
import { sendPage } from "../pages/page-response.ts";
import { type PictureSize, readPictureSize } from "../pages/picture-size.ts";
import { connectionOf, type Guards } from "../plugins/authentication.ts";
import { CONNECTION_ERRORS, errorResponses } from "../plugins/errors.ts";
import { createFormGuard } from "../plugins/form-guards.ts";
import { webHeaders } from "../plugins/request-origin.ts";

const PATH = "/v1/applications/:applicationId/executions/:executionId/interaction";
const COMMON = { tags: ["Executions"], security: [{ connection: [] }, { oauth: [] }] };

/** What a waiting execution asks, and the response to it. */
export function addInteractionRoutes(
  app: App,
  { interactions }: AppDependencies,
  { mayRead, mayChange }: Guards,
): void {
  app.get(
    PATH,
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...COMMON,
        operationId: "getExecutionInteraction",
        summary: "Get what an execution asks",
        description:
          "An execution that waits for a person stays `RUNNING`. Pass the `link` on to the person, or show the question yourself and send the response.",
        params: ExecutionPath,
        response: {
          200: InteractionEnvelope,
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const open = await interactions.findOpen(connectionOf(request).id, request.params.executionId);
      reply.header("cache-control", "private, no-store");
      return { interaction: open && interactions.toWire(open) };
    },
  );

  app.post(
    PATH,
    {
      config: { cors: true },
      onRequest: mayChange,
      schema: {
        ...COMMON,
        operationId: "answerExecutionInteraction",
        summary: "Approve, decline or answer",
        description:
          "The first response is final. If somebody was faster, the error says what was decided. A declined or expired approval ends the execution as `approval_declined` or `approval_expired`; nothing is sent and nothing is charged.",
        params: ExecutionPath,
        body: AnswerInteraction,
        response: {
          200: AnsweredInteraction,
          ...errorResponses(
            ...CONNECTION_ERRORS,
            "INVALID_REQUEST",
            "EXECUTION_NOT_FOUND",
            "NOT_FOUND",
            "INTERACTION_ENDED",
            "UNSUPPORTED_MEDIA_TYPE",
            "PAYLOAD_TOO_LARGE",
          ),
        },
      },
    },
    async (request, reply) => {
      const { executionId } = request.params;
      const answered = await interactions.answer(connectionOf(request).id, executionId, request.body, "application");
      reply.header("cache-control", "private, no-store");
      return { interaction: interactions.toWire(answered) };
    },
  );
}

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const UNKNOWN_LINK = "This link is not valid. It may be incomplete, or the errand was deleted.";

/** Who opened the page, and what they opened. */
interface Opened {
  record: InteractionRecord;
  by: InteractionAnswerer;
}

/**
 * The page on which a person approves or answers. The link's token opens it without an account; the interaction's id opens it
 * for the user and the owner when they are signed in. Opening it changes nothing: previews of links fetch pages, too.
 */
export function addInteractionPages(app: App, dependencies: AppDependencies): void {
  const { interactions, executions, live, artifacts, people, console, openResponses, formKey, publicUrl, clock } =
    dependencies;
  const forms = createFormGuard({ key: formKey, publicUrl });

  /** Null after a response was sent. */
  async function open(request: FastifyRequest, reply: FastifyReply): Promise<Opened | null> {
    const { key } = request.params as { key: string };
    const id = parseUuid(key);
    const person = await people.findSignedIn(webHeaders(request));
    if (id !== null && person === null) {
      const query = new URLSearchParams({ return_to: `/i/${id}` });
      reply.header("cache-control", "no-store").redirect(`/sign-in?${query}`, 303);
      return null;
    }
    const record = id === null ? await interactions.findByLink(key) : await interactions.find(id);
    const role = record && person && (await findRole(person, record));
    if (record !== null && (role !== null || id === null)) return { record, by: role ?? "link" };
    sendPage(reply.code(404), errorPage(UNKNOWN_LINK, request.id));
    return null;
  }

  async function findRole(person: Person, { executionId }: InteractionRecord) {
    return console.interactions.findRole(await console.visitors.identify(person), executionId);
  }

  /** What has gone wrong with an answer, or the answer that came too late. */
  type Sent = { problem?: string; lateAction?: InteractionAction };

  /** The browser is signed in as the user: others need the link, which is meant to be passed on to the user. */
  function mayUseBrowser(request: FastifyRequest, by: InteractionAnswerer): boolean {
    return by === "user" || parseUuid((request.params as { key: string }).key) === null;
  }

  async function show(request: FastifyRequest, reply: FastifyReply, { record, by }: Opened, sent: Sent = {}) {
    const { key } = request.params as { key: string };
    const formToken = forms.issue(request, reply);
    const pictureSize = isOpen(record) ? await findPictureSize(record, artifacts) : null;
    const { status } = await executions.get(record.connectionId, record.executionId);
    const now = clock.now();
    reply.header("x-robots-tag", "noindex");
    // When the time is over, the page says so by itself.
    if (isOpen(record)) reply.header("refresh", Math.ceil((record.expiresAt.getTime() - now.getTime()) / 1_000) + 2);
    return sendPage(
      reply,
      interactionPage({
        interaction: interactions.toWire(record),
        applicationName: record.applicationName,
        path: `/i/${key}`,
        pictureSize,
        problem: sent.problem ?? null,
        lateAction: sent.lateAction ?? null,
        mayUseBrowser: mayUseBrowser(request, by),
        hasErrandEnded: isTerminal(status),
        formToken,
        now,
      }),
    );
  }

  app.get("/i/:key", PAGE, async (request, reply) => {
    const opened = await open(request, reply);
    return opened === null ? reply : show(request, reply, opened);
  });

  app.post("/i/:key", PAGE, async (request, reply) => {
    forms.check(request);
    const opened = await open(request, reply);
    if (opened === null) return reply;
    const { key } = request.params as { key: string };
    const { record } = opened;
    const form = request.body as Record<string, unknown>;
    try {
      await answer(opened, form);
    } catch (error) {
      if (!(error instanceof CallerError)) throw error;
      if (error.code === "INVALID_REQUEST") return show(request, reply.code(400), opened, { problem: error.message });
      if (error.code !== "INTERACTION_ENDED") throw error;
      const ended = { ...opened, record: (await interactions.find(record.id)) ?? record };
      return show(request, reply.code(409), ended, { lateAction: form["action"] as InteractionAction });
    }
    return reply.header("cache-control", "no-store").redirect(`/i/${key}`, 303);
  });

  async function answer({ record, by }: Opened, form: Record<string, unknown>): Promise<void> {
    const { connectionId, executionId, id } = record;
    const action = form["action"] as InteractionAction;
    const text = form["text"];
    await interactions.answer(
      connectionId,
      executionId,
      // The field is also sent when somebody declines to answer.
      { id, action, ...(action === "answer" && typeof text === "string" ? { text: text.trim() } : {}) },
      by,
    );
  }

  app.get("/i/:key/browser", PAGE, async (request, reply) => {
    const opened = await open(request, reply);
    if (opened === null) return reply;
    const { record } = opened;
    if (!isOpen(record) || record.kind !== "takeover" || !mayUseBrowser(request, opened.by))
      return show(request, reply, opened);
    const execution = await executions.get(record.connectionId, record.executionId);
    // An application has no page of its own here.
    const { url } = live.links.create(execution, opened.by === "application" ? "link" : opened.by);
    return reply.header("cache-control", "no-store").redirect(new URL(url).pathname, 303);
  });

  app.get("/i/:key/picture", PAGE, async (request, reply) => {
    const opened = await open(request, reply);
    if (opened === null) return reply;
    const { record } = opened;
    const artifact = isOpen(record) ? await findPicture(record, artifacts) : null;
    if (artifact === null) return sendPage(reply.code(404), errorPage("There is no picture any more.", request.id));
    return sendArtifact(request, reply, { artifacts, artifact, limit: openResponses.downloading, caller: record.id });
  });
}

function isOpen({ state, isOverdue }: InteractionRecord): boolean {
  return state === "open" && !isOverdue;
}

/** Null when there is none, or none that is certainly a picture. */
async function findPicture({ request, connectionId, executionId }: InteractionRecord, artifacts: Artifacts) {
  if (request.picture === null) return null;
  const artifact = await artifacts.get(connectionId, executionId, request.picture.artifact_id).catch(ignoreMissing);
  return artifact !== null && /^image\/(?:jpeg|png)$/.test(artifact.contentType) && artifact.expiredAt === null
    ? artifact
    : null;
}

function ignoreMissing(error: unknown): null {
  if (error instanceof CallerError) return null;
  throw error;
}

async function findPictureSize(record: InteractionRecord, artifacts: Artifacts): Promise<PictureSize | null> {
  const artifact = await findPicture(record, artifacts);
  return artifact === null ? null : readPictureSize(await artifacts.open(artifact));
}
