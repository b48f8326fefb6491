import type { Config } from "../config/config.ts";

/** What to do about a database that could not be used; null where the error says so itself, or is about something else. */
export function adviseOnDatabase({ databaseUrl }: Pick<Config, "databaseUrl">, error: unknown): string | null {
  const { code, message } = readError(error);
  if (databaseUrl === null)
    return SYSTEM_CODE.test(code) ? "The server's log is postgres.log in the data directory." : null;
  const byCode = ADVICE.find(([pattern]) => pattern.test(code));
  if (byCode !== undefined) return byCode[1](message);
  return DRIVER_TIMEOUT.test(message) ? NO_RESPONSE : null;
}

/** Of the system or of PostgreSQL; our own errors say themselves what to do. */
const SYSTEM_CODE = /^(E[A-Z]+|[0-9A-Z]{5})$/;
/** Where the driver gives up by itself it has no code for it. */
const DRIVER_TIMEOUT = /timeout expired|connection timeout|timeout exceeded|Connection terminated|Query read timeout/;
const NO_RESPONSE =
  "The server does not answer: check the host and port in DATABASE_URL, and what stands between (firewall, proxy).";

/** By the code of the system or of PostgreSQL. */
const ADVICE: readonly [RegExp, (message: string) => string][] = [
  [/^ECONNREFUSED$/, () => "Nothing listens there. Check DATABASE_URL (host and port), and that the server runs."],
  [/^(ENOTFOUND|EAI_AGAIN)$/, () => "Check the host in DATABASE_URL: its name is not known here."],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/, () => NO_RESPONSE],
  [/^ENOENT$/, () => "There is no such socket. Check DATABASE_URL, and that the server runs."],
  [/^3D000$/, () => "Create the database (createdb), or correct its name in DATABASE_URL."],
  [/^28P01$/, () => "Correct the user or the password in DATABASE_URL."],
  [/^28000$/, adviseOnRole],
  [
    /^42501$/,
    () => "Make the user of DATABASE_URL the owner of the database, so that it may create and change tables.",
  ],
  [/^53300$/, () => "Raise max_connections in PostgreSQL, or lower ERRAND_DATABASE_POOL_SIZE in the processes on it."],
  [/^57P0[1-3]$/, () => "The server is starting or stopping: try again in a moment."],
];

function adviseOnRole(message: string): string {
  return /role .* does not exist/.test(message)
    ? "Create the role (createuser), or correct the user in DATABASE_URL."
    : "The server lets this user not in from here: see its pg_hba.conf, and sslmode in DATABASE_URL.";
}

function readError(error: unknown): { code: string; message: string } {
  // Several addresses that refuse are one error with others in it.
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (!(first instanceof Error)) return { code: "", message: "" };
  const code = "code" in first && typeof first.code === "string" ? first.code : "";
  return { code, message: first.message };
}
