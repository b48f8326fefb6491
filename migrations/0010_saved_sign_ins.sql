-- By what a site knows a person, sealed: see src/connections/vault.
create table saved_sign_ins (
  connection_id uuid primary key references connections on delete cascade,
  -- Another one after every save: whoever has read an older one may not write over a newer.
  revision uuid not null default gen_random_uuid(),
  -- The master key that wraps the data key.
  key_id text not null,
  wrapped_key bytea not null,
  ciphertext bytea not null,
  -- When the person themselves signed in, when it was last renewed, when the site was last asked whether it knows them.
  signed_in_at timestamptz not null default now(),
  saved_at timestamptz not null default now(),
  checked_at timestamptz not null default now()
);
create index saved_sign_ins_key on saved_sign_ins (key_id, connection_id);
create index saved_sign_ins_checked on saved_sign_ins (checked_at);

-- Sign-ins under way, from consent until the person goes back. The browser itself lives in one process.
create table sign_in_attempts (
  id uuid primary key default new_id(),
  application_id uuid not null references applications on delete cascade,
  user_id uuid not null references users on delete cascade,
  redirect_uri text not null,
  state text,
  code_challenge text,
  -- Opens the socket once; replaced whenever it is used.
  ticket_hash bytea,
  -- With what the person went back: 'code' or an OAuth error; null while it is under way.
  outcome text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_in_attempts_expiry on sign_in_attempts (expires_at);

-- An owner's own way to tell whether the site knows somebody.
alter table applications
  add column signed_in_url text,
  add column signed_in_text text,
  add column signed_out_text text;

-- While a sign-in is being checked on a schedule no execution of the connection begins: a site may renew the sign-in at
-- every visit, and two at once would make each other void.
alter table connections add column check_expires_at timestamptz;
