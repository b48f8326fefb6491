-- One user's link to one application.
create table connections (
  id uuid primary key default new_id(),
  application_id uuid not null references applications,
  user_id uuid not null references users,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'REAUTHORIZATION_REQUIRED')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (application_id, user_id)
);
create index connections_user on connections (user_id);

create table authorization_codes (
  code_hash bytea primary key,
  connection_id uuid not null references connections on delete cascade,
  redirect_uri text not null,
  code_challenge text,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index authorization_codes_connection on authorization_codes (connection_id);

-- The primary key is what makes "one live token per connection" true.
create table access_tokens (
  connection_id uuid primary key references connections on delete cascade,
  token_hash bytea not null unique,
  -- The code that issued it, so that a second use of that code revokes it. Null when an operator issued it.
  code_hash bytea,
  created_at timestamptz not null default now()
);
create index access_tokens_code on access_tokens (code_hash);
