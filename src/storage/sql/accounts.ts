import { sql } from "kysely";
import type { Person, PersonStore } from "../../accounts/person.ts";
import type { FirstErrandStore } from "../../console/first-errand.ts";
import type { ListedOwner, OwnerStore, SetupStore } from "../../console/installation.ts";
import type { VisitorStore } from "../../console/visitor.ts";
import { type Database, isUniqueViolation } from "../database.ts";

export function createPersonStore({ kysely }: Database): PersonStore {
  return {
    async findOrCreate(email) {
      // "do update" instead of "do nothing", so that the row is returned in either case.
      const { rows } = await sql<Person>`
        insert into users (name, email) values (${email}, ${email})
        on conflict (email) do update set email = excluded.email
        returning id, email
      `.execute(kysely);
      const [person] = rows;
      if (person === undefined) throw new Error("The user was neither found nor created");
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

export function createVisitorStore({ kysely }: Database): VisitorStore {
  return {
    async findOwner(userId) {
      const { rows } = await sql<{ id: string; balance: number; isFirst: boolean }>`
        select id, balance, id = (select id from owners order by id limit 1) as "isFirst"
        from owners where user_id = ${userId}
      `.execute(kysely);
      return rows[0] ?? null;
    },
  };
}

export function createSetupStore({ kysely }: Database): SetupStore {
  return {
    async findUnclaimed() {
      const { rows } = await sql<{ ownerId: string }>`
        select id as "ownerId" from (select id, user_id from owners order by id limit 1) as first_owner
        where user_id is null
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async claim(userId) {
      try {
        // A second claim waits for the row and then finds the condition false.
        const { rows } = await sql`
          update owners set user_id = ${userId}
          where id = (select id from owners order by id limit 1) and (user_id is null or user_id = ${userId})
          returning id
        `.execute(kysely);
        return rows.length > 0 ? "claimed" : "taken";
      } catch (error) {
        if (isUniqueViolation(error, "owners_user_id_key")) return "already owner";
        throw error;
      }
    },

    async deleteAccount(userId) {
      await sql`
        delete from users
        where id = ${userId} and not exists (select 1 from connections where user_id = ${userId})
          and not exists (select 1 from owners where user_id = ${userId})
      `.execute(kysely);
    },
  };
}

export function createOwnerStore({ kysely }: Database): OwnerStore {
  const select = sql`
    select owners.id, users.email, balance, owners.id = (select id from owners order by id limit 1) as "isOperator",
      (select count(*) from applications where owner_id = owners.id) as applications
    from owners left join users on users.id = user_id
  `;
  return {
    async list() {
      const { rows } = await sql<ListedOwner>`${select} order by owners.id`.execute(kysely);
      return rows;
    },

    async make(email) {
      const { rows: made } = await sql`
        insert into owners (user_id) select id from users where email = ${email}
        on conflict (user_id) do nothing returning id
      `.execute(kysely);
      const { rows } = await sql<ListedOwner>`${select} where users.email = ${email}`.execute(kysely);
      const [owner] = rows;
      return owner === undefined ? null : { owner, isNew: made.length > 0 };
    },
  };
}

export function createFirstErrandStore({ kysely }: Database): FirstErrandStore {
  return {
    async findApplication(ownerId, name, homeUrl) {
      const { rows } = await sql<{ id: string }>`
        select id from applications where owner_id = ${ownerId} and name = ${name} and home_url = ${homeUrl}
        order by id limit 1
      `.execute(kysely);
      return rows[0] ?? null;
    },
  };
}
