create table applications (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references owners,
  name text not null,
  type text not null check (type in ('public', 'confidential')),
  redirect_uris text[] not null default '{}',
  home_url text,
  sign_in_url text,
  allowed_hosts text[] not null default '{}',
  access text not null default 'all' check (access in ('all', 'read_only')),
  require_pkce boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index applications_owner on applications (owner_id, created_at);

-- At most two live secrets per application, so that a rotation needs no outage.
create table application_secrets (
  id uuid primary key default new_id(),
  application_id uuid not null references applications on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz not null default now()
);
create index application_secrets_application on application_secrets (application_id, id);
