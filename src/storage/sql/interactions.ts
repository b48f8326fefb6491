import type { InteractionRecord, InteractionStore } from "../../executions/interactions.ts";
import { type Database, prepared } from "../database.ts";
import type { Notifications } from "../notifications.ts";

/** The columns of interactions that an InteractionRecord needs, with its connection and application. */
export interface InteractionRow {
  interaction_id: string;
  interaction_execution_id: string;
  interaction_connection_id: string;
  interaction_application_name: string;
  interaction_kind: InteractionRecord["kind"];
  interaction_request: InteractionRecord["request"];
  interaction_state: InteractionRecord["state"];
  interaction_is_overdue: boolean;
  interaction_answer: InteractionRecord["answer"];
  interaction_answered_by: InteractionRecord["answeredBy"];
  interaction_answer_key_id: string | null;
  interaction_answer_box: Buffer | null;
  interaction_link_key_id: string;
  interaction_link_box: Buffer;
  interaction_created_at: Date;
  interaction_expires_at: Date;
}

/** The columns of an InteractionRow, for a select list. */
export function interactionColumns(tables: { connections: string; applications: string }): string {
  const { connections, applications } = tables;
  return `interactions.id as interaction_id, interactions.execution_id as interaction_execution_id,
    ${connections}.id as interaction_connection_id, ${applications}.name as interaction_application_name,
    interactions.kind as interaction_kind, interactions.request as interaction_request,
    interactions.state as interaction_state,
    interactions.state = 'open' and interactions.expires_at <= now() as interaction_is_overdue,
    interactions.answer as interaction_answer, interactions.answered_by as interaction_answered_by,
    interactions.answer_key_id as interaction_answer_key_id, interactions.answer_box as interaction_answer_box,
    interactions.link_key_id as interaction_link_key_id, interactions.link_box as interaction_link_box,
    interactions.created_at as interaction_created_at, interactions.expires_at as interaction_expires_at`;
}

export function toInteractionRecord(row: InteractionRow): InteractionRecord {
  const { interaction_answer_key_id: keyId, interaction_answer_box: box } = row;
  return {
    id: row.interaction_id,
    executionId: row.interaction_execution_id,
    connectionId: row.interaction_connection_id,
    applicationName: row.interaction_application_name,
    kind: row.interaction_kind,
    request: row.interaction_request,
    state: row.interaction_state,
    isOverdue: row.interaction_is_overdue,
    answer: row.interaction_answer,
    answeredBy: row.interaction_answered_by,
    answerText: keyId === null || box === null ? null : { keyId, box },
    link: { keyId: row.interaction_link_key_id, box: row.interaction_link_box },
    createdAt: row.interaction_created_at,
    expiresAt: row.interaction_expires_at,
  };
}

// Locks the execution first, as everything that changes an execution and what belongs to it.
const OPEN = `
  with execution as (
    update executions set last_event_id = last_event_id + 1, updated_at = now()
    where id = $1 and fence = $2 and status = 'RUNNING' and not exists (select 1 from interactions where id = $3)
    returning id, last_event_id
  ), interaction as (
    insert into interactions (id, execution_id, kind, request, link_hash, link_key_id, link_box, expires_at)
    select $3, execution.id, $4, $5::jsonb, $6, $7, $8, now() + $9 * interval '1 millisecond' from execution
    returning id, kind, state, request, expires_at
  )
  insert into execution_events (execution_id, id, type, data, created_at)
  select execution.id, last_event_id, 'interaction', json_build_object(
    'interaction_id', interaction.id, 'kind', kind, 'state', state, 'message', request->'message', 'url', request->'url',
    'amount', request->'amount', 'expires_at', expires_at
  ), clock_timestamp()
  from execution, interaction
  returning id`;

const SELECT = `
  select ${interactionColumns({ connections: "connections", applications: "applications" })} from interactions
  join executions on executions.id = execution_id
  join connections on connections.id = connection_id
  join applications on applications.id = application_id`;
const FIND = `${SELECT} where interactions.id = $1`;
const FIND_OPEN = `${SELECT} where execution_id = $1 and interactions.state = 'open'`;
const FIND_BY_LINK = `${SELECT} where link_hash = $1`;

// The execution is locked before the interaction, as when a run ends. Whoever comes second finds that it is no longer open.
const endSql = (changes: string, condition: string) => `
  with running as (
    select id from executions
    where id = (select execution_id from interactions where id = $1) and status = 'RUNNING'
    for no key update
  ), interaction as (
    update interactions set ended_at = now(), ${changes}
    from running
    where interactions.id = $1 and execution_id = running.id and interactions.state = 'open' and ${condition}
    returning interactions.id, execution_id, kind, interactions.state, answer, answered_by
  ), execution as (
    update executions set last_event_id = last_event_id + 1, updated_at = now()
    from interaction where executions.id = interaction.execution_id
    returning executions.id, last_event_id
  )
  insert into execution_events (execution_id, id, type, data, created_at)
  select execution.id, last_event_id, 'interaction', json_build_object(
    'interaction_id', interaction.id, 'kind', kind, 'state', state, 'answer', answer, 'answered_by', answered_by
  ), clock_timestamp()
  from execution, interaction
  returning execution_id as "executionId"`;
const ANSWER = endSql(
  "state = 'answered', answer = $2, answered_by = $3, answer_key_id = $4, answer_box = $5",
  "expires_at > now()",
);
const EXPIRE = endSql("state = 'expired'", "expires_at <= now()");
const CLOSE = endSql("state = 'closed'", "true");

const FORGET_TEXT =
  "update interactions set answer_key_id = null, answer_box = null where id = $1 and state = 'answered'";

export function createInteractionStore({ pool }: Database, notifications: Notifications): InteractionStore {
  const open = prepared(pool, "interaction-open", OPEN);
  const find = prepared(pool, "interaction-find", FIND);
  const findOpen = prepared(pool, "interaction-find-open", FIND_OPEN);
  const findByLink = prepared(pool, "interaction-find-by-link", FIND_BY_LINK);
  const answer = prepared(pool, "interaction-answer", ANSWER);
  const end = {
    expired: prepared(pool, "interaction-expire", EXPIRE),
    closed: prepared(pool, "interaction-close", CLOSE),
  };
  const forgetText = prepared(pool, "interaction-forget-text", FORGET_TEXT);

  const first = async (rows: Promise<InteractionRow[]>): Promise<InteractionRecord | null> => {
    const [row] = await rows;
    return row === undefined ? null : toInteractionRecord(row);
  };

  const notify = (ended: readonly { executionId: string }[]): boolean => {
    for (const { executionId } of ended) notifications.send(executionId);
    return ended.length > 0;
  };

  return {
    async open(executionId, fence, { id, kind, request, linkHash, link, lifetimeMs }) {
      const values = [
        executionId,
        fence,
        id,
        kind,
        JSON.stringify(request),
        linkHash,
        link.keyId,
        link.box,
        lifetimeMs,
      ];
      if ((await open(values)).length === 0) return (await first(find<InteractionRow>([id])))?.state === "open";
      notifications.send(executionId);
      return true;
    },

    find: (id) => first(find<InteractionRow>([id])),
    findOpen: (executionId) => first(findOpen<InteractionRow>([executionId])),
    findByLink: (linkHash) => first(findByLink<InteractionRow>([linkHash])),

    async answer(id, { answer: given, by, text }) {
      return notify(await answer([id, given, by, text?.keyId ?? null, text?.box ?? null]));
    },

    async end(id, state) {
      notify(await end[state]([id]));
    },

    async forgetText(id) {
      await forgetText([id]);
    },
  };
}
