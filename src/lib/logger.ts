import { type Logger, pino } from "pino";
import { describeError } from "./errors.ts";

export type { Logger };

/** Fields that may hold a secret, at any of the top three levels of a logged object. */
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
  failed: string;
  recovered: string;
}

/** Logs an outage once when it starts and once when it ends. Failures in between are logged at debug level. */
interface OutageLog {
  fail(error: unknown): void;
  succeed(): void;
}

export function createOutageLog(logger: Logger, { failed, recovered }: OutageMessages): OutageLog {
  let isOut = false;
  return {
    fail(error) {
      logger[isOut ? "debug" : "warn"]({ reason: describeError(error) }, failed);
      isOut = true;
    },
    succeed() {
      if (isOut) logger.info(recovered);
      isOut = false;
    },
  };
}
