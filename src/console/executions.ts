import type {
  ConsoleExecution,
  ExecutionItem,
  ExecutionList,
  ExecutionQuery,
  NewExecutionBody,
  StepsReading,
} from "../contract/console/executions.ts";
import type { ExecutionStatus } from "../contract/execution.ts";
import { invalidRequest } from "../executions/create-request.ts";
import { type ExecutionRecord, toWire } from "../executions/execution.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import { fillTemplate } from "../recipes/template.ts";
import type { ConsoleRecipes } from "./recipes.ts";
import type { Visitor } from "./visitor.ts";

/** Executions as the console manages them: those of the visitor's applications, and those that run as the visitor. */
export interface ConsoleExecutions {
  list(visitor: Visitor, query: ExecutionQuery): Promise<ExecutionList>;
  /** Throws unless the visitor may see it; its connection gives access to everything else about it. */
  getVisible(visitor: Visitor, executionId: string): Promise<VisibleExecution>;
  maySee(visitor: Visitor, executionId: string): Promise<boolean>;
  get(visitor: Visitor, executionId: string): Promise<ConsoleExecution>;
  create(ownerId: string, body: NewExecutionBody): Promise<ExecutionRecord>;
  /** Creates the same execution again on the same connection. Only for the owner, who pays. */
  runAgain(visitor: Visitor, executionId: string): Promise<ExecutionRecord>;
  cancel(visitor: Visitor, executionId: string): Promise<ExecutionRecord>;
}

/** Reads a prompt as it is read where no model is configured. Runs nothing. */
export type StepsReader = (prompt: string) => StepsReading;

interface ConsoleExecutionsDependencies {
  store: ConsoleExecutionStore;
  executions: Executions;
  recipes: Pick<ConsoleRecipes, "findOfExecution" | "findDraft">;
}

const DEFAULT_LIMIT = 50;

export function createConsoleExecutions({
  store,
  executions,
  recipes,
}: ConsoleExecutionsDependencies): ConsoleExecutions {
  async function find(visitor: Visitor, executionId: string): Promise<VisibleExecution | null> {
    const uuid = parseUuid(executionId);
    return uuid === null ? null : store.find(scopeOf(visitor), uuid);
  }

  async function getVisible(visitor: Visitor, executionId: string): Promise<VisibleExecution> {
    const visible = await find(visitor, executionId);
    if (visible === null) throw new CallerError("EXECUTION_NOT_FOUND", "You have no execution with this id.");
    return visible;
  }

  /** The cursor need not match the filter: the last execution of a page may have changed its state since. */
  async function readCursor(visitor: Visitor, after: string | undefined): Promise<string | null> {
    if (after === undefined) return null;
    const cursor = await find(visitor, after);
    if (cursor === null) {
      throw new CallerError(
        "INVALID_CURSOR",
        "after must be the id of one of your executions: the last one of the previous page.",
      );
    }
    return cursor.id;
  }

  return {
    getVisible,

    maySee: async (visitor, executionId) => (await find(visitor, executionId)) !== null,

    async list(visitor, query) {
      const filter = readFilter(query);
      const before = await readCursor(visitor, query.after);
      const limit = query.limit ?? DEFAULT_LIMIT;
      // One more than requested shows whether there are more.
      const found = await store.list(scopeOf(visitor), filter, { before, limit: limit + 1 });
      return { executions: found.slice(0, limit).map(toListItem), has_more: found.length > limit };
    },

    async get(visitor, executionId) {
      const visible = await getVisible(visitor, executionId);
      const execution = await executions.get(visible.connectionId, visible.id);
      const { approval } = execution;
      const { isOwned } = visible;
      const recipe = isOwned ? await recipes.findOfExecution(execution) : null;
      const draft = isOwned && recipe === null ? await recipes.findDraft(execution.id) : null;
      const origin = describeOrigin(visible);
      const wire = toWire(execution);
      return { execution: wire, ...origin, approval, may_run_again: isOwned, recipe, recipe_draft: draft };
    },

    async create(ownerId, { connection_id, ...body }) {
      const connectionId = parseUuid(connection_id);
      if (connectionId === null || !(await store.isConnectionOf(ownerId, connectionId))) {
        throw new CallerError("NOT_FOUND", "None of your applications has a connection with this id.");
      }
      return (await executions.create(connectionId, body, null)).execution;
    },

    async runAgain(visitor, executionId) {
      const visible = await getVisible(visitor, executionId);
      if (!visible.isOwned) {
        throw new CallerError("FORBIDDEN", "Only the owner of the application can run it again.");
      }
      const execution = await executions.get(visible.connectionId, visible.id);
      const { startUrl, outputSchema, approval, recipe } = execution;
      // Its prompt may be a template, whose values stand beside it.
      const prompt = fillTemplate(execution.prompt, recipe?.values ?? {});
      const body = { prompt, start_url: startUrl, output_schema: outputSchema, approval };
      return (await executions.create(visible.connectionId, body, null)).execution;
    },

    async cancel(visitor, executionId) {
      const visible = await getVisible(visitor, executionId);
      return executions.cancel(visible.connectionId, visible.id);
    },
  };
}

function scopeOf({ person, owner }: Visitor): AccessScope {
  return { userId: person.id, ownerId: owner?.id ?? null };
}

function toListItem(listed: ListedExecution): ExecutionItem {
  return {
    id: listed.id,
    status: listed.status,
    terminal: listed.terminal,
    is_waiting: listed.isWaiting,
    prompt: listed.prompt,
    ...describeOrigin(listed),
    credits: listed.credits,
    charged: listed.charged,
    created_at: listed.createdAt.toISOString(),
    completed_at: listed.completedAt?.toISOString() ?? null,
  };
}

function describeOrigin(
  of: Pick<VisibleExecution, "applicationId" | "applicationName" | "connectionId" | "userEmail">,
) {
  return {
    application: { id: of.applicationId, name: of.applicationName },
    connection: { id: of.connectionId, user_email: of.userEmail },
  };
}

/** Limits every query to the owner's applications and to executions that run as the user. */
export interface AccessScope {
  userId: string;
  /** Null for someone who owns no applications. */
  ownerId: string | null;
}

/** Null matches everything. */
export interface ExecutionFilter {
  status: ExecutionStatus | null;
  outcome: string | null;
  applicationId: string | null;
  connectionId: string | null;
  /** Case-insensitive part of the prompt, or the id. */
  text: string | null;
  since: Date | null;
  /** Exclusive. */
  until: Date | null;
}

export interface ListedExecution
  extends Pick<ExecutionRecord, "id" | "status" | "terminal" | "credits" | "charged" | "createdAt" | "completedAt"> {
  /** Whether it waits for a person. */
  isWaiting: boolean;
  /** The beginning of the prompt. */
  prompt: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
}

/** Where a visible execution belongs. */
export interface VisibleExecution {
  id: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
  /** Whether the visitor owns the application, and so pays. */
  isOwned: boolean;
}

export interface ConsoleExecutionStore {
  /** Newest first; `before` is an execution's id. */
  list(
    viewer: AccessScope,
    filter: ExecutionFilter,
    page: { before: string | null; limit: number },
  ): Promise<ListedExecution[]>;
  /** Null when there is none in this scope. */
  find(viewer: AccessScope, executionId: string): Promise<VisibleExecution | null>;
  isConnectionOf(ownerId: string, connectionId: string): Promise<boolean>;
}

/** Parses the query and checks what its JSON Schema cannot express. */
function readFilter(query: ExecutionQuery): ExecutionFilter {
  return {
    status: query.status ?? null,
    outcome: readText("outcome", query.outcome),
    applicationId: readId("application_id", query.application_id),
    connectionId: readId("connection_id", query.connection_id),
    text: readText("text", query.text),
    since: readTime("since", query.since),
    until: readTime("until", query.until),
  };
}

function readText(name: string, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  return isStorableText(text) ? text : rejectField(name, "must not contain NUL characters or lone surrogates");
}

function readId(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  return parseUuid(text) ?? rejectField(name, "must be an id");
}

/** RFC 3339 allows times that Date cannot represent, such as leap seconds. */
function readTime(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? rejectField(name, "must be an existing date and time") : time;
}

function rejectField(path: string, message: string): never {
  throw invalidRequest([{ path, message }]);
}
