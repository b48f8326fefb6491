import { sql } from "kysely";
import type { Person } from "../accounts/person.ts";
import type { PersonStore } from "../accounts/person-store.ts";
import type { Database } from "./database.ts";

export function createPersonStore({ kysely }: Database): PersonStore {
  return {
    async findOrCreate(email) {
      // "do update" rather than "do nothing", so that the row comes back in either case.
      const { rows } = await sql<Person>`
        insert into users (name, email) values (${email}, ${email})
        on conflict (email) do update set email = excluded.email
        returning id, email
      `.execute(kysely);
      const [person] = rows;
      if (person === undefined) throw new Error("the user was neither found nor made");
      return person;
    },

    async findFirstOwner() {
      const { rows } = await sql<Person>`
        select users.id, users.email
        from (select user_id from owners order by id limit 1) as first_owner join users on users.id = user_id
      `.execute(kysely);
      return rows[0] ?? null;
    },
  };
}
