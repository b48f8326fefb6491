-- runs-with: 17
-- Who has taken over the browser of a run: the steps of the execution say so.
alter table live_controls add column taken_by text not null default 'user' check (taken_by in ('user', 'owner', 'link'));
