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
-- When a connection is deleted, what waits to be told of it is canceled.
create index webhook_deliveries_of_connection on webhook_deliveries (connection_id) where state = 'pending';

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
-- Whether the owner was told that credits are low. A grant sets it back: see src/storage/sql-credits.
alter table owners add credits_low_told boolean not null default false;

-- Messages are made where things happen, in the same transaction: whoever commits the one commits the other. An endpoint that
-- is being deleted is passed over, so that nobody waits for its deletion or trips over it. A transaction that has set
-- errand.tell to off tells nothing: what it changes is about to be deleted.
create function tell_executions_ended() returns trigger language plpgsql as $$
begin
  -- What has ended cannot change, so one that was changed and has ended has done so now. Most changes are others.
  if not exists (select 1 from changed where status in ('COMPLETED', 'FAILED'))
    or current_setting('errand.tell', true) is not distinct from 'off' then
    return null;
  end if;
  with ended as (
    select changed.id, connection_id, application_id,
      case status when 'COMPLETED' then 'execution.completed' else 'execution.failed' end as type
    from changed join connections on connections.id = connection_id
    where status in ('COMPLETED', 'FAILED')
  ), endpoint as materialized (
    select id, application_id, events from webhook_endpoints
    where application_id in (select application_id from ended) and disabled_at is null
    order by id for key share skip locked
  )
  insert into webhook_deliveries (endpoint_id, type, execution_id, connection_id)
  select endpoint.id, type, ended.id, connection_id from ended join endpoint using (application_id)
  where events is null or type = any (events);
  return null;
end
$$;
-- By statement, because many are ended at once. It cannot be narrowed to a column: the function looks for itself.
create trigger executions_tell_end after update on executions
  referencing new table as changed for each statement execute function tell_executions_ended();

create function tell_reauthorization_required() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (endpoint_id, type, connection_id)
  select id, 'connection.reauthorization_required', new.id from webhook_endpoints
  where application_id = new.application_id and disabled_at is null
    and (events is null or 'connection.reauthorization_required' = any (events))
  order by webhook_endpoints.id for key share skip locked;
  return null;
end
$$;
create trigger connections_tell_reauthorization after update of state on connections
  for each row when (
    old.state = 'ACTIVE' and new.state = 'REAUTHORIZATION_REQUIRED'
    and current_setting('errand.tell', true) is distinct from 'off'
  ) execute function tell_reauthorization_required();

-- Once until credits are granted again: a balance that goes up and down around the mark, as reserves are released, is told once.
create function note_credits_low() returns trigger language plpgsql as $$
begin
  new.credits_low_told := new.balance <= (select credits_low_at from webhook_settings);
  return new;
end
$$;
create trigger owners_note_credits_low before update of balance on owners
  for each row when (new.balance < old.balance and not new.credits_low_told) execute function note_credits_low();

create function tell_credits_low() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (endpoint_id, type, facts)
  select webhook_endpoints.id, 'credits.low', json_build_object('balance', new.balance, 'low_at', credits_low_at)
  from webhook_settings, applications join webhook_endpoints on application_id = applications.id
  where owner_id = new.id and disabled_at is null and (events is null or 'credits.low' = any (events))
  order by webhook_endpoints.id for key share of webhook_endpoints skip locked;
  return null;
end
$$;
create trigger owners_tell_credits_low after update of balance on owners
  for each row when (new.credits_low_told and not old.credits_low_told) execute function tell_credits_low();

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
-- Fires even when no message was made, which must cost next to nothing: adding no jobs would still wake all workers.
create function queue_new_webhook_deliveries() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from made where state = 'pending') then
    return null;
  end if;
  begin
    perform graphile_worker.add_jobs(array(
      select (
        'deliver-webhook', json_build_object('delivery_id', id), null, next_attempt_at, 25::smallint,
        'webhook ' || id, null, array[endpoint_id::text]
      )::graphile_worker.job_spec
      from made where state = 'pending' order by id
    ));
  exception when others then
    raise warning 'the jobs of new webhook deliveries could not be made: %', sqlerrm;
  end;
  return null;
end
$$;
create trigger webhook_deliveries_queue after insert on webhook_deliveries
  referencing new table as made for each statement execute function queue_new_webhook_deliveries();

-- Those that are being done at the moment find that there is nothing to send.
create function remove_webhook_jobs(deliveries uuid[]) returns void language plpgsql as $$
begin
  perform graphile_worker.complete_jobs(array(
    select jobs.id from unnest(deliveries) as delivery join graphile_worker.jobs on jobs.key = 'webhook ' || delivery
  ));
exception when others then
  raise warning 'the jobs of webhook deliveries could not be removed: %', sqlerrm;
end
$$;
create function remove_jobs_of_deleted() returns trigger language plpgsql as $$
begin
  if exists (select 1 from gone where state = 'pending') then
    perform remove_webhook_jobs(array(select id from gone where state = 'pending'));
  end if;
  return null;
end
$$;
create trigger webhook_deliveries_remove_jobs after delete on webhook_deliveries
  referencing old table as gone for each statement execute function remove_jobs_of_deleted();
