-- runs-with: 17
-- Keys with which owners manage their applications over HTTP. Only the hash is stored.
create table owner_keys (
  id uuid primary key default new_id(),
  owner_id uuid not null references owners on delete cascade,
  -- Null: all applications of the owner, also future ones.
  application_id uuid references applications on delete cascade,
  name text not null,
  scope text not null check (scope in ('read', 'manage')),
  key_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index owner_keys_of_owner on owner_keys (owner_id, id);
create index owner_keys_of_application on owner_keys (application_id);
