-- runs-with: 14
-- What a run asks a person while it waits: to approve a commit, to answer a question, to take over the browser.
create table interactions (
  id uuid primary key,
  execution_id uuid not null references executions on delete cascade,
  kind text not null check (kind in ('approval', 'question', 'takeover')),
  request jsonb not null,
  state text not null default 'open' check (state in ('open', 'answered', 'expired', 'closed')),
  answer text check (answer in ('approved', 'declined', 'answered', 'handed_back')),
  answered_by text check (answered_by in ('application', 'link', 'user', 'owner')),
  -- The text of an answer, sealed until the run has read it: see src/executions/interactions.ts.
  answer_key_id text,
  answer_box bytea,
  -- The token of the link that opens the interaction without an account: hashed to find it, sealed to show it.
  link_hash bytea not null unique,
  link_key_id text not null,
  link_box bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  check ((state = 'open') = (ended_at is null)),
  check ((state = 'answered') = (answer is not null)),
  check ((state = 'answered') = (answered_by is not null)),
  check ((answer_key_id is null) = (answer_box is null)),
  check (answer_box is null or answer = 'answered')
);
create unique index interactions_one_open on interactions (execution_id) where state = 'open';
create index interactions_execution on interactions (execution_id);

-- The request never changes, and the first answer is final. Only the sealed text goes when it is no longer needed.
create trigger interactions_request_is_final
  before update of id, execution_id, kind, request, link_hash, link_key_id, link_box, created_at, expires_at on interactions
  for each row execute function refuse_change();
create trigger interactions_end_is_final before update on interactions
  for each row when (
    old.state <> 'open' and (
      (new.state, new.answer, new.answered_by, new.ended_at) is distinct from
        (old.state, old.answer, old.answered_by, old.ended_at)
      or new.answer_box is not null
    )
  ) execute function refuse_change();

-- Nobody is asked any more when the run has ended, whatever ended it. No answer outlives its run.
create function close_interactions() returns trigger language plpgsql as $$
begin
  update interactions
  set state = case state when 'open' then 'closed' else state end, ended_at = coalesce(ended_at, now()),
    answer_key_id = null, answer_box = null
  where execution_id = new.id and (state = 'open' or answer_box is not null);
  return null;
end
$$;
create trigger executions_close_interactions after update of status on executions
  for each row when (old.status = 'RUNNING' and new.status <> 'RUNNING') execute function close_interactions();

-- Who wants to agree before anything is bought, sent, published or deleted. The strictest of the three holds.
alter table applications add approval text not null default 'never' check (approval in ('never', 'commits'));
alter table connections add approval text not null default 'never' check (approval in ('never', 'commits'));
alter table executions add approval text check (approval in ('never', 'commits'));
-- Chosen at consent, and kept until the connection exists.
alter table sign_in_attempts add approval text not null default 'never' check (approval in ('never', 'commits'));

create function tell_interaction_required() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (endpoint_id, type, execution_id, connection_id, facts)
  select webhook_endpoints.id, 'execution.interaction_required', new.execution_id, connections.id,
    json_build_object('interaction_id', new.id)
  from executions
  join connections on connections.id = executions.connection_id
  join webhook_endpoints on webhook_endpoints.application_id = connections.application_id
  where executions.id = new.execution_id and disabled_at is null
    and (events is null or 'execution.interaction_required' = any (events))
  order by webhook_endpoints.id for key share of webhook_endpoints skip locked;
  return null;
end
$$;
create trigger interactions_tell_required after insert on interactions
  for each row execute function tell_interaction_required();
