-- An owner pays for the executions of the applications they own.
create table owners (
  id uuid primary key default new_id(),
  -- Null for the installation's first owner until a person claims it.
  user_id uuid unique references users on delete restrict,
  balance bigint not null default 0 check (balance >= 0),
  created_at timestamptz not null default now()
);

-- Append-only. change is what an entry does to the balance: a capture keeps what the reserve took.
create table credit_entries (
  id bigint generated always as identity primary key,
  owner_id uuid not null references owners,
  -- No foreign key: the ledger outlives the executions it speaks of.
  execution_id uuid,
  kind text not null check (kind in ('grant', 'reserve', 'capture', 'release')),
  credits bigint not null check (credits >= 0),
  change bigint generated always as (
    case kind when 'reserve' then -credits when 'capture' then 0 else credits end
  ) stored,
  created_at timestamptz not null default now(),
  check ((kind = 'grant') = (execution_id is null))
);
create index credit_entries_owner on credit_entries (owner_id, id);
create unique index credit_entries_one_reserve on credit_entries (execution_id) where kind = 'reserve';
create unique index credit_entries_one_settlement on credit_entries (execution_id) where kind in ('capture', 'release');

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;
create trigger credit_entries_append_only before update or delete on credit_entries
  for each row execute function refuse_change();

-- The first owner exists from the start, so that applications can be made before anybody signs up.
with first_owner as (
  insert into owners (balance) values (1000) returning id, balance
)
insert into credit_entries (owner_id, kind, credits) select id, 'grant', balance from first_owner;
