import type pg from "pg";
import type { Database } from "../src/storage/database.ts";
import type { Statement } from "./_job.ts";

/**
 * The statements that a piece of our own storage code sends, by letting it send them once. So the comparison is always
 * with what the service really does, whatever becomes of it.
 */
export async function recordStatements(
  database: Database,
  work: (recording: Database) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const query = (statement: Statement) => {
    statements.push(statement);
    return database.pool.query(statement);
  };
  // The stores only ever call `query` with one object.
  await work({ ...database, pool: { query } as unknown as pg.Pool });
  return statements;
}

/** The same statements about something else. A value may also be a list. */
export function withValue(statements: Statement[], from: unknown, to: unknown): Statement[] {
  const replace = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(replace) : value === from ? to : value;
  return statements.map((statement) => ({ ...statement, values: statement.values.map(replace) }));
}
