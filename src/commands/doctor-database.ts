import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { adviseOnDatabase } from "../database-advice.ts";
import { checkDatabase, type Finding } from "../doctor-checks.ts";
import { checkKeys } from "../key-checks.ts";
import { describeError } from "../lib/describe-error.ts";
import { checkQueue, checkWebhooks } from "../work-checks.ts";
import { withDatabaseAddress } from "./with-database-address.ts";

export interface DatabaseFindings {
  database: Finding;
  keys: Finding;
  queue: Finding;
  webhooks: Finding;
}

/** Looks at the database and at what is sealed in it. Changes nothing: neither the schema nor the key file. */
export async function lookAtDatabase(config: Config): Promise<DatabaseFindings> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null && !existsSync(join(dataDir, "postgres"))) {
    const message = `none yet in ${dataDir}: the first errand start makes one`;
    return { database: { status: "ok", message }, ...NOTHING_YET };
  }
  try {
    return await withDatabaseAddress(config, { mustExist: true }, (address) => look(address, config));
  } catch (error) {
    const fix = adviseOnDatabase(config, error);
    const database: Finding = { status: "problem", message: describeError(error), ...(fix !== null && { fix }) };
    return { database, ...NOT_LOOKED_AT };
  }
}

const NOTHING_YET = {
  keys: { status: "ok", message: "nothing is sealed yet" },
  queue: { status: "ok", message: "nothing waits yet" },
  webhooks: { status: "ok", message: "none yet" },
} satisfies Partial<DatabaseFindings>;

const NOT_LOOKED_AT = {
  keys: cannotSay("whether they open what is sealed"),
  queue: cannotSay("what waits"),
  webhooks: cannotSay("what waits to be sent"),
} satisfies Partial<DatabaseFindings>;

function cannotSay(what: string): Finding {
  return { status: "warning", message: `${what} cannot be said before the database is as it should be` };
}

async function look(connectionString: string, config: Config): Promise<DatabaseFindings> {
  const [{ openDatabase }, { listMissing }] = await Promise.all([
    import("../storage/database.ts"),
    import("../storage/migrations.ts"),
  ]);
  const { present, version, missing, newer } = await listMissing(connectionString);
  if (present === 0) return { database: describeEmpty(config), ...NOTHING_YET };
  await using database = openDatabase({ connectionString, poolSize: 1, onError: () => {} });
  const found = await checkDatabase(database, config);
  if (missing.length > 0) {
    const message = `${found.message}; this Errand brings ${version}`;
    const fix = "Make a backup (errand backup), then errand migrate; errand start migrates, too.";
    return { database: { status: "warning", message, fix }, ...NOT_LOOKED_AT };
  }
  const others = {
    keys: await attempt(checkKeys(database, config)),
    queue: await attempt(checkQueue(database)),
    webhooks: await attempt(checkWebhooks(database)),
  };
  if (newer.length === 0) return { database: found, ...others };
  const message = `${found.message}, which is newer than this Errand: it still runs on it`;
  return { database: { status: "warning", message, fix: "Update Errand here soon." }, ...others };
}

/** That one of them fails says nothing about the others. */
function attempt(finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((error: unknown) => ({ status: "problem", message: describeError(error) }));
}

function describeEmpty({ databaseUrl }: Config): Finding {
  const message = "empty: errand start sets it up";
  if (databaseUrl === null) return { status: "ok", message };
  return { status: "warning", message, fix: "If it should not be empty, check the database's name in DATABASE_URL." };
}
