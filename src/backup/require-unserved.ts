import type { ClientBase } from "pg";
import { CallerError } from "../lib/caller-error.ts";

/** Services listen for hints or do jobs all the time, each on a connection with a name of its own. */
export async function requireUnserved(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name ~ '^errand (service|hints|jobs|migrate|restore) ' limit 1`,
  );
  const [session] = rows;
  if (session === undefined) return;
  throw new CallerError(
    "UNAVAILABLE",
    `Errand is running on this database ("${session.name}"). Stop every service and command that uses it, then restore.`,
  );
}
