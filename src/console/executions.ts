import type {
  ConsoleExecution,
  ExecutionItem,
  ExecutionList,
  ExecutionQuery,
  NewExecutionBody,
} from "../contract/console/executions.ts";
import { type ExecutionRecord, toWire } from "../executions/execution-record.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/caller-error.ts";
import { parseUuid } from "../lib/uuid.ts";
import { readFilter } from "./execution-filter.ts";
import type { ConsoleExecutionStore, ListedExecution, SeenExecution, Viewer } from "./execution-store.ts";
import type { Visitor } from "./visitor.ts";

/** What a visitor does with executions: those of their applications, and those that run as themselves. */
export interface ConsoleExecutions {
  list(visitor: Visitor, query: ExecutionQuery): Promise<ExecutionList>;
  /** The execution under its connection, by which everything else about it is found. */
  see(visitor: Visitor, executionId: string): Promise<SeenExecution>;
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
  async function find(visitor: Visitor, executionId: string): Promise<SeenExecution | null> {
    const uuid = parseUuid(executionId);
    return uuid === null ? null : store.find(viewerOf(visitor), uuid);
  }

  async function see(visitor: Visitor, executionId: string): Promise<SeenExecution> {
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
      const found = await store.list(viewerOf(visitor), filter, { before, limit: limit + 1 });
      return { executions: found.slice(0, limit).map(toItem), has_more: found.length > limit };
    },

    async get(visitor, executionId) {
      const seen = await see(visitor, executionId);
      const execution = await executions.get(seen.connectionId, seen.id);
      return { execution: toWire(execution), ...origin(seen), may_run_again: seen.isOwned };
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

function viewerOf({ person, owner }: Visitor): Viewer {
  return { userId: person.id, ownerId: owner?.id ?? null };
}

function toItem(listed: ListedExecution): ExecutionItem {
  return {
    id: listed.id,
    status: listed.status,
    terminal: listed.terminal,
    prompt: listed.prompt,
    ...origin(listed),
    credits: listed.credits,
    charged: listed.charged,
    created_at: listed.createdAt.toISOString(),
    completed_at: listed.completedAt?.toISOString() ?? null,
  };
}

function origin(of: Pick<SeenExecution, "applicationId" | "applicationName" | "connectionId" | "userEmail">) {
  return {
    application: { id: of.applicationId, name: of.applicationName },
    connection: { id: of.connectionId, user_email: of.userEmail },
  };
}
