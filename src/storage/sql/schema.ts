import type { ColumnType, Generated } from "kysely";

/** The tables of migrations/ that Kysely queries use. */
export interface Schema {
  users: UsersTable;
  owners: OwnersTable;
  credit_entries: CreditEntriesTable;
  applications: ApplicationsTable;
  application_secrets: ApplicationSecretsTable;
  connections: ConnectionsTable;
  authorization_codes: AuthorizationCodesTable;
  access_tokens: AccessTokensTable;
  executions: ExecutionsTable;
  execution_events: ExecutionEventsTable;
}

type CreatedAt = ColumnType<Date, never, never>;
type Json = ColumnType<unknown, string | null, string | null>;

interface UsersTable {
  id: Generated<string>;
  name: string;
  email: string;
}

interface OwnersTable {
  id: Generated<string>;
  user_id: string | null;
  balance: Generated<number>;
  created_at: CreatedAt;
}

interface CreditEntriesTable {
  id: Generated<number>;
  owner_id: string;
  application_id: string | null;
  execution_id: string | null;
  kind: "grant" | "reserve" | "capture" | "release";
  credits: number;
  change: ColumnType<number, never, never>;
  created_at: CreatedAt;
}

interface ApplicationsTable {
  id: Generated<string>;
  owner_id: string;
  name: string;
  type: "public" | "confidential";
  redirect_uris: string[];
  home_url: string | null;
  sign_in_url: string | null;
  signed_in_url: string | null;
  signed_in_text: string | null;
  signed_out_text: string | null;
  allowed_hosts: string[];
  access: "all" | "read_only";
  approval: Generated<"never" | "commits">;
  require_pkce: boolean;
  mcp_clients: Generated<boolean>;
  stored_credentials: Generated<boolean>;
  recipes: Generated<boolean>;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

interface ApplicationSecretsTable {
  id: Generated<string>;
  application_id: string;
  secret_hash: Buffer;
  created_at: CreatedAt;
}

interface ConnectionsTable {
  id: Generated<string>;
  application_id: string;
  user_id: string;
  state: Generated<"ACTIVE" | "REAUTHORIZATION_REQUIRED">;
  approval: Generated<"never" | "commits">;
  spending_currency: string | null;
  spending_per_errand: number | null;
  spending_per_month: number | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
}

interface AuthorizationCodesTable {
  code_hash: Buffer;
  connection_id: string;
  redirect_uri: string;
  code_challenge: string | null;
  client_id: string | null;
  client_name: string | null;
  resource: string | null;
  expires_at: Date;
  used_at: Date | null;
  created_at: CreatedAt;
}

interface AccessTokensTable {
  connection_id: string;
  token_hash: Buffer;
  code_hash: Buffer | null;
  created_at: CreatedAt;
}

interface ExecutionsTable {
  id: Generated<string>;
  connection_id: string;
  status: Generated<"QUEUED" | "RUNNING" | "COMPLETED" | "FAILED">;
  terminal_status: string | null;
  terminal_reason: string | null;
  prompt: string;
  start_url: string | null;
  output_schema: Json;
  metadata: Generated<Record<string, string>>;
  result: Json;
  error_code: string | null;
  error_message: string | null;
  credits: number;
  charged: Generated<boolean>;
  idempotency_key: string | null;
  request_hash: Buffer | null;
  cancel_requested_at: Date | null;
  last_event_id: Generated<number>;
  watched_until: Date | null;
  created_at: CreatedAt;
  updated_at: Generated<Date>;
  completed_at: Date | null;
}

interface ExecutionEventsTable {
  execution_id: string;
  id: number;
  type: string;
  data: Json;
  created_at: CreatedAt;
}
