import type { ClientBase } from "pg";

/** So that values are written and read in one way, and nothing is broken off for taking long. */
export async function prepareCopying(client: ClientBase): Promise<void> {
  await client.query(`
    set client_encoding = 'UTF8';
    set datestyle = 'ISO, YMD';
    set intervalstyle = 'postgres';
    set extra_float_digits = 3;
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0`);
}
