import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestService } from "./service.ts";

/** Every row of every table, including those of the job queue; bytes as hexadecimal digits. */
export async function dumpTables({ database }: TestService): Promise<string[]> {
  const tables = await database.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => database.query(`select '${name} ' || to_json(t)::text as row from ${name} as t`)),
  );
  return rows.flat().map(({ row }) => row);
}

export async function readFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")));
}

/** Expects the canaries nowhere, neither in plain text nor in hexadecimal nor URL-encoded. */
export function expectNowhere(canaries: readonly string[], places: Record<string, string>): void {
  for (const canary of canaries) {
    for (const form of [canary, Buffer.from(canary).toString("hex"), encodeURIComponent(canary)]) {
      for (const [place, text] of Object.entries(places)) {
        expect(text.includes(form), `${form} in ${place}`).toBe(false);
      }
    }
  }
}
