import type { Config } from "./config/config.ts";
import { listKeyIds } from "./config/key-ring.ts";
import type { Finding } from "./doctor-checks.ts";
import type { Database } from "./storage/database.ts";
import { countSealed } from "./storage/sql-sealed-keys.ts";

/** Whether everything that is sealed can be opened with the master keys that are here. Makes no key. */
export async function checkKeys(database: Database, config: Config): Promise<Finding> {
  const keyIds = listKeyIds(config);
  const sealed = await countSealed(database);
  const missing = sealed.filter(({ keyId }) => !keyIds.includes(keyId));
  if (missing.length > 0) return describeMissing(missing, config);
  const [current] = keyIds;
  if (current === undefined) return { status: "ok", message: "none yet: the first start makes a master key" };
  const others = keyIds.length === 1 ? "" : `, and ${keyIds.length - 1} older`;
  return { status: "ok", message: `${current}${others}: whatever is sealed can be opened` };
}

function describeMissing(missing: Awaited<ReturnType<typeof countSealed>>, { secretKey, dataDir }: Config): Finding {
  const signIns = missing.reduce((sum, one) => sum + one.signIns, 0);
  const webhooks = missing.reduce((sum, one) => sum + one.webhooks, 0);
  const ids = missing.map(({ keyId }) => keyId).join(", ");
  return {
    status: "problem",
    message:
      `${signIns} saved sign-ins and the secrets of ${webhooks} webhooks cannot be opened, ` +
      `because they are sealed with master keys that are not here: ${ids}`,
    fix:
      secretKey === null
        ? `Put your copy of them into ${dataDir}/secret.key, one key a line, or into ERRAND_OTHER_SECRET_KEYS; then restart.`
        : "Set ERRAND_SECRET_KEY as it was, or add them to ERRAND_OTHER_SECRET_KEYS in every process; then restart.",
  };
}
