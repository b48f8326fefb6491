-- runs-with: 11
-- Artifacts may be kept for a shorter time than their execution: what is left of one says when it went.
alter table execution_artifacts add column expired_at timestamptz;

-- Nothing else about them changes, and what is gone does not come back.
drop trigger execution_artifacts_append_only on execution_artifacts;
create trigger execution_artifacts_append_only
  before update of id, execution_id, kind, name, content_type, bytes, sha256, created_at on execution_artifacts
  for each row execute function refuse_change();
create trigger execution_artifacts_expire_once before update on execution_artifacts
  for each row when (old.expired_at is not null) execute function refuse_change();

create index execution_artifacts_unexpired on execution_artifacts (execution_id) where expired_at is null;
