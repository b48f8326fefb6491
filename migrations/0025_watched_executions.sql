-- runs-with: 17
-- Until when the events of an execution are announced to all processes, because somebody follows them.
alter table executions add column watched_until timestamptz;
