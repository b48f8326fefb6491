import { type Logger, pino } from "pino";
import { describeError } from "./errors.ts";

export type { Logger };

/** Paths that may carry a secret, whatever object is logged. */
const SECRET_PATHS = [
  "authorization",
  "cookie",
  "password",
  "token",
  "access_token",
  "client_secret",
  "code_verifier",
  "secret",
  "secretKey",
  "otherSecretKeys",
  "databaseUrl",
  "metricsToken",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export function createLogger(level: string, destination: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    redact: { paths: [...SECRET_PATHS, '*["set-cookie"]'], censor: "[redacted]" },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}

interface OutageMessages {
  broken: string;
  mended: string;
}

/** Says once that something outside is away, and once that it is back; the attempts in between are for who debugs. */
interface OutageLog {
  fail(error: unknown): void;
  succeed(): void;
}

export function createOutageLog(logger: Logger, { broken, mended }: OutageMessages): OutageLog {
  let isAway = false;
  return {
    fail(error) {
      logger[isAway ? "debug" : "warn"]({ reason: describeError(error) }, broken);
      isAway = true;
    },
    succeed() {
      if (isAway) logger.info(mended);
      isAway = false;
    },
  };
}
