import { type Logger, pino } from "pino";

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
