-- new_id() makes a UUIDv7: ids sort by creation time, so "newest first" needs no second column.
-- PostgreSQL 18 has uuidv7() built in; older servers get the same layout
-- (48 bits of milliseconds, 12 bits of sub-millisecond fraction, 62 random bits).
do $$
begin
  if to_regprocedure('pg_catalog.uuidv7()') is not null then
    execute 'create function new_id() returns uuid language sql volatile parallel safe
      as ''select uuidv7()''';
  else
    execute 'create function new_id() returns uuid language sql volatile parallel safe as $body$
      select encode(
        substring(int8send(floor(micros / 1000)::bigint) from 3)
        || int2send((28672 + floor(mod(micros, 1000) * 4.096))::int2)
        || substring(uuid_send(gen_random_uuid()) from 9 for 8),
        ''hex'')::uuid
      from (select extract(epoch from clock_timestamp()) * 1000000 as micros) as instant
    $body$';
  end if;
end
$$;
