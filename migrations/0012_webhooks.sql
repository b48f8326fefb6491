-- runs-with: 11
-- Where applications want to be told what happens.
create table webhook_endpoints (
  id uuid primary key default new_id(),
  application_id uuid not null references applications on delete cascade,
  url text not null,
  description text,
  -- Null: all there are.
  events text[],
  -- Sealed: see src/webhooks/secrets. Each box names the master key that opens it.
  secret_key_id text not null,
  secret_box bytea not null,
  previous_key_id text,
  previous_box bytea,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('by_hand', 'gone')),
  -- Attempts in a row without an answer, and until when its messages wait for that: one is tried then, alone.
  unanswered integer not null default 0,
  held_until timestamptz,
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((previous_box is null) = (previous_until is null) and (previous_box is null) = (previous_key_id is null))
);
create index webhook_endpoints_application on webhook_endpoints (application_id, id);

-- One message to one endpoint. Its id is told to the receiver, who knows by it what came twice.
create table webhook_deliveries (
  id uuid primary key default new_id(),
  endpoint_id uuid not null references webhook_endpoints on delete cascade,
  type text not null,
  -- No foreign keys: a message about something that was deleted meanwhile is canceled when its turn comes.
  execution_id uuid,
  connection_id uuid,
  -- What cannot be read again later.
  facts json,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'canceled')),
  -- Of the present series: sending one again begins another.
  attempts integer not null default 0,
  next_attempt_at timestamptz default now(),
  -- When the present series began: it lasts three days at most.
  tried_since timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((state = 'pending') = (next_attempt_at is not null)),
  check ((state = 'pending') = (finished_at is null))
);
create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_pending on webhook_deliveries (next_attempt_at) where state = 'pending';
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_attempt_at) where state = 'pending';
create index webhook_deliveries_undelivered on webhook_deliveries (endpoint_id, id) where state <> 'delivered';
create index webhook_deliveries_created on webhook_deliveries (created_at);
create index webhook_deliveries_credits on webhook_deliveries (endpoint_id, created_at) where type = 'credits.low';

create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries on delete cascade,
  id uuid not null default new_id(),
  at timestamptz not null,
  status integer,
  duration_ms integer not null,
  error text,
  primary key (delivery_id, id)
);
create trigger webhook_attempts_append_only before update on webhook_attempts
  for each row execute function refuse_change();

-- The settings that triggers need. The service keeps them in step.
create table webhook_settings (
  only_row boolean primary key default true check (only_row),
  credits_low_at bigint not null
);
insert into webhook_settings (credits_low_at) values (10);
create index credit_entries_grants on credit_entries (owner_id, created_at) where kind = 'grant';

-- Messages are made where things happen, in the same transaction: whoever commits the one commits the other. An endpoint that
-- is being deleted is passed over, so that nobody waits for its deletion or trips over it.
create function tell_webhooks(
  told_application uuid, told_type text, told_execution uuid, told_connection uuid, told_facts json
) returns void language sql as $$
  insert into webhook_deliveries (endpoint_id, type, execution_id, connection_id, facts)
  select id, told_type, told_execution, told_connection, told_facts from webhook_endpoints
  where application_id = told_application and disabled_at is null and (events is null or told_type = any (events))
  order by id for key share skip locked
$$;

create function tell_execution_ended() returns trigger language plpgsql as $$
begin
  perform tell_webhooks(
    application_id, case new.status when 'COMPLETED' then 'execution.completed' else 'execution.failed' end,
    new.id, new.connection_id, null
  ) from connections where id = new.connection_id;
  return null;
end
$$;
create trigger executions_tell_end after update of status on executions
  for each row when (old.status in ('QUEUED', 'RUNNING') and new.status in ('COMPLETED', 'FAILED'))
  execute function tell_execution_ended();

create function tell_reauthorization_required() returns trigger language plpgsql as $$
begin
  perform tell_webhooks(new.application_id, 'connection.reauthorization_required', null, new.id, null);
  return null;
end
$$;
create trigger connections_tell_reauthorization after update of state on connections
  for each row when (old.state = 'ACTIVE' and new.state = 'REAUTHORIZATION_REQUIRED')
  execute function tell_reauthorization_required();

-- Once until credits are granted again: a balance that goes up and down around the mark, as reserves are released, is told once.
create function tell_credits_low() returns trigger language plpgsql as $$
declare
  low_at bigint;
begin
  select credits_low_at into low_at from webhook_settings;
  if old.balance <= low_at or new.balance > low_at then
    return null;
  end if;
  insert into webhook_deliveries (endpoint_id, type, facts)
  select webhook_endpoints.id, 'credits.low', json_build_object('balance', new.balance, 'low_at', low_at)
  from applications join webhook_endpoints on application_id = applications.id
  where owner_id = new.id and disabled_at is null and (events is null or 'credits.low' = any (events))
    and not exists (
      select 1 from webhook_deliveries
      where endpoint_id = webhook_endpoints.id and type = 'credits.low' and webhook_deliveries.created_at > coalesce(
        (select max(created_at) from credit_entries where owner_id = new.id and kind = 'grant'), '-infinity'
      )
    )
  order by webhook_endpoints.id for key share of webhook_endpoints skip locked;
  return null;
end
$$;
create trigger owners_tell_credits_low after update of balance on owners
  for each row when (new.balance < old.balance) execute function tell_credits_low();

-- The jobs that deliver them. What ends an execution must not fail because of these: a message whose job could not be made
-- keeps its row, and workers look for such rows. The flag of a job is its endpoint, so that a busy one can be passed over.
create function queue_webhook_delivery(delivery uuid, endpoint uuid, due timestamptz) returns void language plpgsql as $$
begin
  perform graphile_worker.add_job(
    'deliver-webhook', json_build_object('delivery_id', delivery), run_at => due, max_attempts => 25,
    job_key => 'webhook ' || delivery, flags => array[endpoint::text]
  );
exception when others then
  raise warning 'the job of webhook delivery % could not be made: %', delivery, sqlerrm;
end
$$;
create function queue_new_webhook_deliveries() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_jobs(array(
    select (
      'deliver-webhook', json_build_object('delivery_id', id), null, next_attempt_at, 25::smallint,
      'webhook ' || id, null, array[endpoint_id::text]
    )::graphile_worker.job_spec
    from made where state = 'pending' order by id
  ));
  return null;
exception when others then
  raise warning 'the jobs of new webhook deliveries could not be made: %', sqlerrm;
  return null;
end
$$;
create trigger webhook_deliveries_queue after insert on webhook_deliveries
  referencing new table as made for each statement execute function queue_new_webhook_deliveries();
