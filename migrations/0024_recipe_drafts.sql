-- runs-with: 17
-- Recipes of verified runs that were not learned, because learning was off or there was one for the same errands. They are
-- used only once a person saves them.
create table recipe_drafts (
  execution_id uuid primary key references executions on delete cascade,
  -- json, not jsonb: the first key of a step says what it does.
  body json not null,
  -- What the run took.
  tokens bigint not null,
  duration_ms bigint not null
);
