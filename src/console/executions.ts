import type {
  ConsoleExecution,
  ExecutionItem,
  ExecutionList,
  ExecutionQuery,
  NewExecutionBody,
} from "../contract/console/executions.ts";
import type { ExecutionStatus } from "../contract/execution.ts";
import { invalidRequest } from "../executions/create-request.ts";
import { type ExecutionRecord, toWire } from "../executions/execution.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Visitor } from "./visitor.ts";

/** What a visitor does with executions: those of their applications, and those that run as themselves. */
export interface ConsoleExecutions {
  list(visitor: Visitor, query: ExecutionQuery): Promise<ExecutionList>;
  /** The execution under its connection, by which everything else about it is found. */
  see(visitor: Visitor, executionId: string): Promise<VisibleExecution>;
  maySee(visitor: Visitor, executionId: string): Promise<boolean>;
  get(visitor: Visitor, executionId: string): Promise<ConsoleExecution>;
  create(ownerId: string, body: NewExecutionBody): Promise<ExecutionRecord>;
  /** The same errand on the same connection; the owner pays, so only they may. */
  runAgain(visitor: Visitor, executionId: string): Promise<ExecutionRecord>;
  cancel(visitor: Visitor, executionId: string): Promise<ExecutionRecord>;
}

interface ConsoleExecutionsDependencies {
  store: ConsoleExecutionStore;
  executions: Executions;
}

const DEFAULT_LIMIT = 50;

export function createConsoleExecutions({ store, executions }: ConsoleExecutionsDependencies): ConsoleExecutions {
  async function find(visitor: Visitor, executionId: string): Promise<VisibleExecution | null> {
    const uuid = parseUuid(executionId);
    return uuid === null ? null : store.find(scopeOf(visitor), uuid);
  }

  async function see(visitor: Visitor, executionId: string): Promise<VisibleExecution> {
    const seen = await find(visitor, executionId);
    if (seen === null) throw new CallerError("EXECUTION_NOT_FOUND", "You have no execution with this id.");
    return seen;
  }

  /** Only a place in the order: it need not pass the filter, or a page would end when its last execution moves on. */
  async function readCursor(visitor: Visitor, after: string | undefined): Promise<string | null> {
    if (after === undefined) return null;
    const cursor = await find(visitor, after);
    if (cursor === null) {
      throw new CallerError(
        "INVALID_CURSOR",
        "after must be the id of an execution of yours: the last one of the previous page.",
      );
    }
    return cursor.id;
  }

  return {
    see,

    maySee: async (visitor, executionId) => (await find(visitor, executionId)) !== null,

    async list(visitor, query) {
      const filter = readFilter(query);
      const before = await readCursor(visitor, query.after);
      const limit = query.limit ?? DEFAULT_LIMIT;
      // One more than asked for tells whether more follow.
      const found = await store.list(scopeOf(visitor), filter, { before, limit: limit + 1 });
      return { executions: found.slice(0, limit).map(toListItem), has_more: found.length > limit };
    },

    async get(visitor, executionId) {
      const seen = await see(visitor, executionId);
      const execution = await executions.get(seen.connectionId, seen.id);
      return { execution: toWire(execution), ...describeOrigin(seen), may_run_again: seen.isOwned };
    },

    async create(ownerId, { connection_id, ...body }) {
      const connectionId = parseUuid(connection_id);
      if (connectionId === null || !(await store.isConnectionOf(ownerId, connectionId))) {
        throw new CallerError("NOT_FOUND", "None of your applications has a connection with this id.");
      }
      return (await executions.create(connectionId, body, null)).execution;
    },

    async runAgain(visitor, executionId) {
      const seen = await see(visitor, executionId);
      if (!seen.isOwned) {
        throw new CallerError("FORBIDDEN", "Only the owner of the application, who pays for it, can run it again.");
      }
      const { prompt, startUrl, outputSchema } = await executions.get(seen.connectionId, seen.id);
      const body = { prompt, start_url: startUrl, output_schema: outputSchema };
      return (await executions.create(seen.connectionId, body, null)).execution;
    },

    async cancel(visitor, executionId) {
      const seen = await see(visitor, executionId);
      return executions.cancel(seen.connectionId, seen.id);
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

/** Whose eyes: what belongs to the owner's applications and what runs as the user. Every query is bounded by it. */
export interface AccessScope {
  userId: string;
  /** Null for somebody who owns no applications. */
  ownerId: string | null;
}

/** Null: whatever it is. */
export interface ExecutionFilter {
  status: ExecutionStatus | null;
  outcome: string | null;
  applicationId: string | null;
  connectionId: string | null;
  /** Stands anywhere in the prompt, whatever its case, or is the id. */
  text: string | null;
  since: Date | null;
  /** Exclusive. */
  until: Date | null;
}

export interface ListedExecution
  extends Pick<ExecutionRecord, "id" | "status" | "terminal" | "credits" | "charged" | "createdAt" | "completedAt"> {
  /** Its beginning. */
  prompt: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
}

/** By what right somebody sees an execution, and whose it is. */
export interface VisibleExecution {
  id: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
  /** Whether the viewer owns the application, and so pays. */
  isOwned: boolean;
}

export interface ConsoleExecutionStore {
  /** Newest first; `before` is an execution's id. */
  list(
    viewer: AccessScope,
    filter: ExecutionFilter,
    page: { before: string | null; limit: number },
  ): Promise<ListedExecution[]>;
  /** Null when there is none that the viewer may see. */
  find(viewer: AccessScope, executionId: string): Promise<VisibleExecution | null>;
  isConnectionOf(ownerId: string, connectionId: string): Promise<boolean>;
}

/** Everything about the query that its schema cannot say. */
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

/** RFC 3339 knows moments that no clock of ours shows, such as leap seconds. */
function readTime(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? rejectField(name, "must be a date and a time that exist") : time;
}

function rejectField(path: string, message: string): never {
  throw invalidRequest([{ path, message }]);
}
