-- runs-with: 17
-- What the creator of an execution wants to find in its events and webhooks. Never part of the execution itself.
alter table executions add column metadata jsonb not null default '{}';
