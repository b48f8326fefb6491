import type { Database } from "./database.ts";

/** How much is sealed with one master key. */
export interface SealedUnderKey {
  keyId: string;
  signIns: number;
  webhooks: number;
}

const COUNT_SEALED = `
  select key_id as "keyId", count(distinct connection_id) as "signIns", count(distinct webhook_id) as webhooks from (
    select key_id, connection_id, null::uuid as webhook_id from saved_sign_ins
    union all
    select secret_key_id, null, id from webhook_endpoints
    union all
    select previous_key_id, null, id from webhook_endpoints where previous_key_id is not null
  ) as used
  group by key_id order by key_id`;

export async function countSealed({ pool }: Database): Promise<SealedUnderKey[]> {
  return (await pool.query<SealedUnderKey>(COUNT_SEALED)).rows;
}
