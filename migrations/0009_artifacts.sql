-- What a run has kept: screenshots, pages, downloads. The bytes stand outside, under the execution's and their own id.
create table execution_artifacts (
  id uuid primary key,
  execution_id uuid not null references executions on delete cascade,
  kind text not null,
  name text not null,
  content_type text not null,
  bytes bigint not null check (bytes >= 0),
  sha256 bytea not null,
  created_at timestamptz not null default now()
);
create index execution_artifacts_execution on execution_artifacts (execution_id, created_at, id);
create trigger execution_artifacts_append_only before update on execution_artifacts
  for each row execute function refuse_change();
