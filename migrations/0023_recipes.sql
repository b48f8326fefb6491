-- runs-with: 17
-- Whether executions of the application use recipes and become recipes.
alter table applications add column recipes boolean not null default true;

-- What verified runs did, as steps with variables: see src/recipes.
create table recipes (
  id uuid primary key default new_id(),
  application_id uuid not null references applications on delete cascade,
  -- The connection that alone uses it. Null: promoted to all connections of the application.
  connection_id uuid references connections on delete cascade,
  state text not null default 'active' check (state in ('active', 'disabled', 'set_aside')),
  version integer not null default 1,
  -- One of the keys that every prompt of its kind has. Null: its template has no words, so that it is only used by its id.
  match_key bigint,
  -- Of start URL, output schema and template: there is one recipe for each kind of errand.
  identity bytea not null,
  -- Of the current version. Two set it aside.
  failures_in_row integer not null default 0,
  -- What the run took that it was learned from; null when a person wrote it.
  learned_tokens bigint,
  learned_ms bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((learned_tokens is null) = (learned_ms is null))
);
create unique index recipes_own on recipes (connection_id, identity) where connection_id is not null;
create unique index recipes_promoted on recipes (application_id, identity) where connection_id is null;
create index recipes_of_application on recipes (application_id, id);
-- A prompt is looked up among the recipes of its connection and among the promoted ones, each by its keys.
create index recipes_match_own on recipes (connection_id, match_key) where connection_id is not null and state = 'active';
create index recipes_match_promoted on recipes (application_id, match_key) where connection_id is null and state = 'active';

create table recipe_versions (
  recipe_id uuid not null references recipes on delete cascade,
  version integer not null,
  -- json, not jsonb: the first key of a step says what it does.
  body json not null,
  origin text not null check (origin in ('learned', 'healed', 'saved', 'edited', 'imported')),
  execution_id uuid references executions on delete set null,
  created_at timestamptz not null default now(),
  primary key (recipe_id, version)
);
create index recipe_versions_of_execution on recipe_versions (execution_id) where execution_id is not null;

-- Runs of each day, in UTC. They count on when their executions are deleted.
create table recipe_days (
  recipe_id uuid not null references recipes on delete cascade,
  day date not null,
  replayed integer not null default 0,
  healed integer not null default 0,
  failed integer not null default 0,
  tokens_saved bigint not null default 0,
  ms_saved bigint not null default 0,
  last_run_at timestamptz not null,
  primary key (recipe_id, day)
);

-- The recipe that it runs with. No foreign keys: an execution that has ended does not change when its recipe is deleted.
alter table executions
  add column recipe_id uuid,
  add column recipe_version integer,
  -- Parts of the prompt, by the variables of the recipe.
  add column recipe_values jsonb,
  -- replayed, healed or failed.
  add column recipe_outcome text,
  -- The request wants no recipe: none is used, and none is learned.
  add column recipe_off boolean not null default false;
create index executions_with_recipe on executions (recipe_id, id) where recipe_id is not null;
-- While the model is unavailable, only these can run.
create index executions_queued_with_recipe on executions (connection_id, id)
  where status = 'QUEUED' and recipe_id is not null;
