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
  };
}
