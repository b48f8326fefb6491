-- runs-with: 17
-- Whether users may store the credentials of the site, so that an expired sign-in renews itself. Off unless the owner allows it.
alter table applications add column stored_credentials boolean not null default false;

-- User name, password and the secret of one-time codes, sealed: see src/connections/vault. They belong to a saved sign-in and
-- are deleted with it, whatever deletes it.
create table sign_in_credentials (
  connection_id uuid primary key references saved_sign_ins on delete cascade,
  -- Another one after every save.
  revision uuid not null default gen_random_uuid(),
  -- The master key that wraps the data key.
  key_id text not null,
  wrapped_key bytea not null,
  ciphertext bytea not null,
  saved_at timestamptz not null default now(),
  -- When Errand last signed in with them.
  renewed_at timestamptz,
  -- Set while they are tried and after a failure: then they are not tried again.
  failed_at timestamptz,
  failure text,
  check ((failed_at is null) = (failure is null))
);
create index sign_in_credentials_key on sign_in_credentials (key_id, connection_id);
