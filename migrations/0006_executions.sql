-- output_schema, result and event data are json, not jsonb: they go back word for word.
create table executions (
  id uuid primary key default new_id(),
  connection_id uuid not null references connections,
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
  terminal_status text,
  terminal_reason text,
  prompt text not null,
  start_url text,
  output_schema json,
  result json,
  error_code text,
  error_message text,
  credits integer not null check (credits >= 0),
  charged boolean not null default false,
  idempotency_key text,
  request_hash bytea,
  cancel_requested_at timestamptz,
  last_event_id integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz,
  check ((idempotency_key is null) = (request_hash is null)),
  check ((status in ('COMPLETED', 'FAILED')) = (terminal_status is not null)),
  check ((status in ('COMPLETED', 'FAILED')) = (completed_at is not null)),
  check ((status = 'COMPLETED') = (result is not null)),
  check ((status = 'FAILED') = (error_code is not null))
);
create unique index executions_idempotency on executions (connection_id, idempotency_key)
  where idempotency_key is not null;
create index executions_newest_first on executions (connection_id, id desc);

create table execution_events (
  execution_id uuid not null references executions on delete cascade,
  id integer not null,
  type text not null,
  data json not null,
  created_at timestamptz not null default now(),
  primary key (execution_id, id)
);
create trigger execution_events_append_only before update on execution_events
  for each row execute function refuse_change();

-- A terminal state is final, whoever asks.
create function keep_terminal_state() returns trigger language plpgsql as $$
begin
  raise exception 'execution % has ended and cannot change', old.id;
end
$$;
create trigger executions_terminal_is_final before update on executions
  for each row when (old.status in ('COMPLETED', 'FAILED')) execute function keep_terminal_state();
