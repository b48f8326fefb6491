-- runs-with: 11
-- The W3C trace context of the request that created the execution, so that whoever runs it continues that trace.
alter table executions add column traceparent text;
