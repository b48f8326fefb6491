-- runs-with: 14
-- What a user lets an application spend, per errand and per month, in minor units of one currency. Chosen at consent.
alter table connections
  add spending_currency text check (spending_currency ~ '^[A-Z]{3}$'),
  add spending_per_errand bigint check (spending_per_errand > 0),
  add spending_per_month bigint check (spending_per_month > 0),
  add check ((spending_currency is null) = (coalesce(spending_per_errand, spending_per_month) is null));
alter table sign_in_attempts
  add spending_currency text check (spending_currency ~ '^[A-Z]{3}$'),
  add spending_per_errand bigint check (spending_per_errand > 0),
  add spending_per_month bigint check (spending_per_month > 0),
  add check ((spending_currency is null) = (coalesce(spending_per_errand, spending_per_month) is null));

-- Append-only. A reservation counts from the start, and stops counting when it is released:
-- reserve (before it is agreed to), send (from here on it may reach the site), then capture (it was sent) or release.
create table spending_entries (
  id bigint generated always as identity primary key,
  connection_id uuid not null references connections on delete cascade,
  -- No foreign key: what was spent counts until the end of the month, even if the execution was deleted.
  execution_id uuid not null,
  reservation_id uuid not null,
  kind text not null check (kind in ('reserve', 'send', 'capture', 'release')),
  -- In minor units.
  amount bigint not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- The first day of the month, in UTC.
  month date not null check (extract(day from month) = 1),
  change bigint generated always as (case kind when 'reserve' then amount when 'release' then -amount else 0 end) stored,
  created_at timestamptz not null default now()
);
create index spending_entries_month on spending_entries (connection_id, month);
create index spending_entries_execution on spending_entries (execution_id);
create unique index spending_entries_one_of_a_kind on spending_entries (reservation_id, kind);
create unique index spending_entries_one_settlement on spending_entries (reservation_id)
  where kind in ('capture', 'release');

-- Only the deletion of the connection deletes them.
create trigger spending_entries_append_only before update or delete on spending_entries
  for each row when (pg_trigger_depth() = 0) execute function refuse_change();

-- What a run leaves open when it ends, whatever ended it: what may have been sent counts as spent, everything else is released.
create function settle_spending() returns trigger language plpgsql as $$
begin
  insert into spending_entries (connection_id, execution_id, reservation_id, kind, amount, currency, month)
  select reserved.connection_id, reserved.execution_id, reserved.reservation_id,
    case when exists (
      select 1 from spending_entries as sent
      where sent.reservation_id = reserved.reservation_id and sent.kind = 'send'
    ) then 'capture' else 'release' end,
    reserved.amount, reserved.currency, reserved.month
  from spending_entries as reserved
  where reserved.execution_id = new.id and reserved.kind = 'reserve' and not exists (
    select 1 from spending_entries as settled
    where settled.reservation_id = reserved.reservation_id and settled.kind in ('capture', 'release')
  )
  on conflict do nothing;
  return null;
end
$$;
create trigger executions_settle_spending after update of status on executions
  for each row when (old.status = 'RUNNING' and new.status <> 'RUNNING') execute function settle_spending();
