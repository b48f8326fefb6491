-- runs-with: 17
-- Programs that use an application over MCP, without having been registered. Off unless the owner wants them.
alter table applications add column mcp_clients boolean not null default false;

-- Each program has a token of its own on the user's connection, so that two of them do not revoke each other's. These tokens
-- are for /mcp only, and access_tokens are for everything else: neither is found among the others.
create table mcp_tokens (
  connection_id uuid not null references connections on delete cascade,
  -- The URL of the program's metadata document, or the application's own id.
  client_id text not null,
  client_name text not null,
  -- The URL of the MCP endpoint that the token was issued for (RFC 8707).
  resource text not null,
  token_hash bytea not null unique,
  -- The code that issued it, so that a second use of that code revokes it. Null when an operator issued it.
  code_hash bytea,
  created_at timestamptz not null default now(),
  primary key (connection_id, client_id)
);
create index mcp_tokens_code on mcp_tokens (code_hash);

-- For which program the user has agreed; null for the application itself.
alter table authorization_codes
  add column client_id text,
  add column client_name text,
  add column resource text,
  add check ((client_id is null) = (resource is null) and (client_id is null) = (client_name is null));
alter table sign_in_attempts
  add column client_id text,
  add column client_name text,
  add column resource text;
