import type { LiveLinkSubject } from "../../executions/live-link.ts";
import { LIVE_TOPICS, type LiveViewStore, type SealedPicture } from "../../executions/live-view.ts";
import { type Database, prepared } from "../database.ts";
import type { Notifications } from "../notifications.ts";

const WATCH = `
  insert into live_viewers (execution_id, viewer_id, expires_at)
  select id, $2, now() + $3 * interval '1 millisecond' from executions where id = $1 and status = 'RUNNING'
  on conflict (execution_id, viewer_id) do update set expires_at = excluded.expires_at`;

const UNWATCH = "delete from live_viewers where execution_id = $1 and viewer_id = $2";

const IS_WATCHED = "select from live_viewers where execution_id = $1 and expires_at > now() limit 1";

// The row lock keeps the execution from ending in between: its end deletes the picture.
const SHOW = `
  with execution as (
    select id from executions
    where id = $1 and fence = $2 and status = 'RUNNING'
      and exists (select from live_viewers where execution_id = $1 and expires_at > now())
    for no key update
  )
  insert into live_pictures (execution_id, number, key_id, box)
  select id, $3, $4, $5 from execution
  on conflict (execution_id) do update set number = excluded.number, key_id = excluded.key_id, box = excluded.box
  returning execution_id`;

const READ = `
  select status, number, key_id as "keyId", box
  from executions left join live_pictures on execution_id = executions.id and number is distinct from $2
  where executions.id = $1`;

const FIND_SUBJECT = `
  select applications.name as "applicationName", redirect_uris as "redirectUris"
  from executions
  join connections on connections.id = connection_id
  join applications on applications.id = application_id
  where executions.id = $1`;

export function createLiveViewStore({ pool }: Database, notifications: Notifications): LiveViewStore {
  const watch = prepared(pool, "live-watch", WATCH);
  const unwatch = prepared(pool, "live-unwatch", UNWATCH);
  const isWatched = prepared(pool, "live-is-watched", IS_WATCHED);
  const show = prepared(pool, "live-show", SHOW);
  const read = prepared(pool, "live-read", READ);
  const findSubject = prepared(pool, "live-find-subject", FIND_SUBJECT);

  return {
    async watch(executionId, viewerId, lifetimeMs) {
      await watch([executionId, viewerId, lifetimeMs]);
      notifications.send(LIVE_TOPICS.viewers(executionId));
    },

    async unwatch(executionId, viewerId) {
      await unwatch([executionId, viewerId]);
      notifications.send(LIVE_TOPICS.viewers(executionId));
    },

    isWatched: async (executionId) => (await isWatched([executionId])).length > 0,

    async show(executionId, fence, { number, keyId, box }) {
      const isShown = (await show([executionId, fence, number, keyId, box])).length > 0;
      if (isShown) notifications.send(LIVE_TOPICS.pictures(executionId));
      return isShown;
    },

    async read(executionId, known) {
      const [row] = await read<ReadRow>([executionId, known]);
      if (row === undefined) return null;
      const { status, number, keyId, box } = row;
      const picture = number === null || keyId === null || box === null ? null : { number, keyId, box };
      return { status, picture };
    },

    findSubject: async (executionId) => (await findSubject<LiveLinkSubject>([executionId]))[0] ?? null,
  };
}

interface ReadRow {
  status: NonNullable<Awaited<ReturnType<LiveViewStore["read"]>>>["status"];
  number: SealedPicture["number"] | null;
  keyId: string | null;
  box: Buffer | null;
}
