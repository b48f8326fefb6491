-- runs-with: 14
-- A running execution that people watch: who watches, the newest picture, who has taken over, and what they enter. The tables
-- are unlogged: nothing of this reaches the write-ahead log, and a crash empties them. Pictures and inputs are sealed as well.
create unlogged table live_viewers (
  execution_id uuid not null references executions on delete cascade,
  -- One per process of the API and execution.
  viewer_id uuid not null,
  expires_at timestamptz not null,
  primary key (execution_id, viewer_id)
);

create unlogged table live_pictures (
  execution_id uuid primary key references executions on delete cascade,
  -- Another one for each picture.
  number integer not null,
  key_id text not null,
  box bytea not null
);
-- A sealed picture cannot be compressed.
alter table live_pictures alter column box set storage external;

create unlogged table live_controls (
  execution_id uuid primary key references executions on delete cascade,
  holder_id uuid not null,
  -- Set when the run has paused: from then on the person's input reaches the browser.
  is_held boolean not null default false,
  expires_at timestamptz not null
);

create unlogged table live_inputs (
  id bigint generated always as identity primary key,
  execution_id uuid not null references live_controls on delete cascade,
  key_id text not null,
  box bytea not null
);
create index live_inputs_execution on live_inputs (execution_id, id);

-- Nothing to watch remains when the run has ended, whatever ended it.
create function end_live_view() returns trigger language plpgsql as $$
begin
  delete from live_viewers where execution_id = new.id;
  delete from live_pictures where execution_id = new.id;
  delete from live_controls where execution_id = new.id;
  return null;
end
$$;
create trigger executions_end_live_view after update of status on executions
  for each row when (old.status = 'RUNNING' and new.status <> 'RUNNING') execute function end_live_view();
