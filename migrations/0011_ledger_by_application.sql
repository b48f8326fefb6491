-- The ledger says itself whose errands it speaks of: connections and applications can be deleted, it stays.
-- No foreign key, and null for grants.
alter table credit_entries add column application_id uuid;

alter table credit_entries disable trigger credit_entries_append_only;
update credit_entries set application_id = connections.application_id
  from executions join connections on connections.id = executions.connection_id
  where executions.id = credit_entries.execution_id;
alter table credit_entries enable trigger credit_entries_append_only;

-- What deleted applications were called.
create table former_applications (
  id uuid primary key,
  name text not null,
  deleted_at timestamptz not null default now()
);
create function keep_application_name() returns trigger language plpgsql as $$
begin
  insert into former_applications (id, name) values (old.id, old.name);
  return null;
end
$$;
create trigger applications_keep_name after delete on applications
  for each row execute function keep_application_name();
