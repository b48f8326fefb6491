/** In an order in which every row finds the rows that it refers to. */
export const BACKED_UP_TABLES = [
  "users",
  "credentials",
  "owners",
  "applications",
  "application_secrets",
  "former_applications",
  "connections",
  "access_tokens",
  "saved_sign_ins",
  "executions",
  "execution_events",
  "execution_artifacts",
  "credit_entries",
  "webhook_settings",
  "webhook_endpoints",
  "webhook_deliveries",
  "webhook_attempts",
] as const;

/** Every other table of ours, with the reason why a backup is without it. */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: "made by the migrations; the backup names them itself",
  sessions: "restored, a session that was ended since the backup would be open again: people sign in once more",
  verifications: "short-lived, and spent when they are used: restored, a used one could be used again",
  authorization_codes: "live for minutes, and work once: restored, a used one could be used again",
  sign_in_attempts: "live for minutes, and their browser is gone",
};
