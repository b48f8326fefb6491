-- Both columns in one direction, so that a page can be bounded by comparing (connection_id, id) as a row.
drop index executions_newest_first;
create index executions_of_connection on executions (connection_id, id);
