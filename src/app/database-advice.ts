import type { Config } from "../config/config.ts";
import { CallerError, describeError } from "../lib/errors.ts";

/** Opens the database. If that fails, the error says what to do about it. */
export async function explainOpenFailure<Result>(config: Config, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const advice = adviseOnDatabase(config, error);
    if (advice === null) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `Cannot use the database ${describeDatabase(config)}: ${describeError(error)}. ${advice} Run errand doctor${config.commandOptions} for details.`,
      { cause: error },
    );
  }
}

export function describeDatabase({ databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">): string {
  return databaseUrl === null ? `in ${dataDir}` : "at DATABASE_URL";
}

/** What to do about a database error; null if the message already says so, or the error is not about the database. */
export function adviseOnDatabase({ databaseUrl }: Pick<Config, "databaseUrl">, error: unknown): string | null {
  const { code, message } = readError(error);
  if (databaseUrl === null)
    return SYSTEM_CODE.test(code) ? "See the server log, postgres.log in the data directory." : null;
  const byCode = ADVICE.find(([pattern]) => pattern.test(code));
  if (byCode !== undefined) return byCode[1](message);
  return DRIVER_TIMEOUT.test(message) ? NO_RESPONSE : null;
}

/** A code of the operating system or PostgreSQL. Our own errors already say what to do. */
const SYSTEM_CODE = /^(E[A-Z]+|[0-9A-Z]{5})$/;
/** Timeouts of the driver have no code. */
const DRIVER_TIMEOUT = /timeout expired|connection timeout|timeout exceeded|Connection terminated|Query read timeout/;
const NO_RESPONSE =
  "The server does not respond. Check the host and port in DATABASE_URL, and any firewall or proxy in between.";

/** By the code of the operating system or PostgreSQL. */
const ADVICE: readonly [RegExp, (message: string) => string][] = [
  [
    /^ECONNREFUSED$/,
    () => "Nothing is listening there. Check the host and port in DATABASE_URL, and that the server is running.",
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, () => "The host name cannot be resolved. Check the host in DATABASE_URL."],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/, () => NO_RESPONSE],
  [/^ENOENT$/, () => "There is no such socket. Check DATABASE_URL, and that the server is running."],
  [/^3D000$/, () => "Create the database (createdb), or correct its name in DATABASE_URL."],
  [/^28P01$/, () => "Correct the user or the password in DATABASE_URL."],
  [/^28000$/, adviseOnRole],
  [
    /^42501$/,
    () => "Make the user in DATABASE_URL the owner of the database, so that it may create and change tables.",
  ],
  [/^53300$/, () => "Raise max_connections in PostgreSQL, or lower ERRAND_DATABASE_POOL_SIZE for the processes on it."],
  [/^57P0[1-3]$/, () => "The server is starting or stopping. Try again in a moment."],
];

function adviseOnRole(message: string): string {
  return /role .* does not exist/.test(message)
    ? "Create the role (createuser), or correct the user in DATABASE_URL."
    : "The server rejects this user from this host. Check pg_hba.conf on the server, and sslmode in DATABASE_URL.";
}

function readError(error: unknown): { code: string; message: string } {
  // A name with several addresses fails with one error per address.
  const first = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  if (!(first instanceof Error)) return { code: "", message: "" };
  const code = "code" in first && typeof first.code === "string" ? first.code : "";
  return { code, message: first.message };
}
