import type { LiveLinkSubject } from "../../executions/live-link.ts";
import { LIVE_TOPICS, type LiveViewStore, type SealedPart, type SealedPicture } from "../../executions/live-view.ts";
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
  select status, number, key_id as "keyId", box, holder_id as "holderId", is_held as "isHeld",
    exists (
      select from interactions
      where interactions.execution_id = executions.id and state = 'open' and kind <> 'takeover'
    ) as "isAsking"
  from executions
  left join live_pictures on live_pictures.execution_id = executions.id and number is distinct from $2
  left join live_controls on live_controls.execution_id = executions.id and live_controls.expires_at > now()
  where executions.id = $1`;

// Whoever has it keeps it. It is free again when it has expired.
const TAKE_CONTROL = `
  insert into live_controls (execution_id, holder_id, taken_by, expires_at)
  select id, $2, $3, now() + $4 * interval '1 millisecond' from executions where id = $1 and status = 'RUNNING'
  on conflict (execution_id) do update
  set holder_id = excluded.holder_id, taken_by = excluded.taken_by, expires_at = excluded.expires_at,
    is_held = live_controls.is_held and live_controls.holder_id = excluded.holder_id
  where live_controls.holder_id = excluded.holder_id or live_controls.expires_at <= now()
  returning execution_id`;

const RELEASE_CONTROL = "delete from live_controls where execution_id = $1 and holder_id = $2";

const ADD_INPUT = `
  insert into live_inputs (execution_id, key_id, box)
  select execution_id, $3, $4 from live_controls
  where execution_id = $1 and holder_id = $2 and is_held and expires_at > now()`;

const FIND_CONTROL = `
  select is_held as "isHeld", taken_by as by from live_controls where execution_id = $1 and expires_at > now()`;

const HOLD_CONTROL = `
  update live_controls set is_held = true
  from executions
  where execution_id = $1 and expires_at > now() and executions.id = execution_id and fence = $2 and status = 'RUNNING'
  returning execution_id`;

const TAKE_INPUTS = `
  with taken as (delete from live_inputs where execution_id = $1 returning id, key_id, box)
  select key_id as "keyId", box from taken order by id`;

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
  const takeControl = prepared(pool, "live-take-control", TAKE_CONTROL);
  const releaseControl = prepared(pool, "live-release-control", RELEASE_CONTROL);
  const addInput = prepared(pool, "live-add-input", ADD_INPUT);
  const findControl = prepared(pool, "live-find-control", FIND_CONTROL);
  const holdControl = prepared(pool, "live-hold-control", HOLD_CONTROL);
  const takeInputs = prepared(pool, "live-take-inputs", TAKE_INPUTS);
  const findSubject = prepared(pool, "live-find-subject", FIND_SUBJECT);

  /** Both the run and the viewers. */
  function notifyOfControl(executionId: string): void {
    notifications.send(LIVE_TOPICS.control(executionId));
    notifications.send(LIVE_TOPICS.pictures(executionId));
  }

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
      const { status, number, keyId, box, holderId, isHeld, isAsking } = row;
      const picture = number === null || keyId === null || box === null ? null : { number, keyId, box };
      const control = holderId === null || isHeld === null ? null : { holderId, isHeld };
      return { status, picture, control, isAsking };
    },

    async takeControl(executionId, holderId, by, lifetimeMs) {
      const isTaken = (await takeControl([executionId, holderId, by, lifetimeMs])).length > 0;
      if (isTaken) notifyOfControl(executionId);
      return isTaken;
    },

    async releaseControl(executionId, holderId) {
      await releaseControl([executionId, holderId]);
      notifyOfControl(executionId);
    },

    async addInput(executionId, holderId, { keyId, box }) {
      await addInput([executionId, holderId, keyId, box]);
      notifications.send(LIVE_TOPICS.inputs(executionId));
    },

    findControl: async (executionId) => (await findControl<FoundControl>([executionId]))[0] ?? null,

    async holdControl(executionId, fence) {
      const isHeld = (await holdControl([executionId, fence])).length > 0;
      if (isHeld) notifications.send(LIVE_TOPICS.pictures(executionId));
      return isHeld;
    },

    takeInputs: (executionId) => takeInputs<SealedPart>([executionId]),

    findSubject: async (executionId) => (await findSubject<LiveLinkSubject>([executionId]))[0] ?? null,
  };
}

type FoundControl = NonNullable<Awaited<ReturnType<LiveViewStore["findControl"]>>>;

interface ReadRow {
  status: NonNullable<Awaited<ReturnType<LiveViewStore["read"]>>>["status"];
  number: SealedPicture["number"] | null;
  keyId: string | null;
  box: Buffer | null;
  holderId: string | null;
  isHeld: boolean | null;
  isAsking: boolean;
}
