-- The execution row is the job; the connection row is the queue's head. Every change of either locks the connection
-- first, then the execution, then the owner: so nothing deadlocks, and no wake-up is lost.
alter table connections
  -- Since when it may have queued work; null when it has none. A turn puts it behind the others.
  add column queued_since timestamptz,
  add column running_execution_id uuid;

create index connections_ready on connections (queued_since)
  where queued_since is not null and running_execution_id is null;

alter table executions
  -- Goes up with every claim: whoever holds an older one may write nothing any more.
  add column fence integer not null default 0,
  add column lease_expires_at timestamptz,
  -- Set before the first thing that the world could notice. Until then the execution can be put back.
  add column began_at timestamptz,
  add check ((status = 'RUNNING') = (lease_expires_at is not null));

create index executions_queued on executions (connection_id, id) where status = 'QUEUED';
create index executions_leased on executions (lease_expires_at) where status = 'RUNNING';
create unique index executions_one_running on executions (connection_id) where status = 'RUNNING';

update connections set queued_since = now()
  where exists (select 1 from executions where connection_id = connections.id and status = 'QUEUED');
