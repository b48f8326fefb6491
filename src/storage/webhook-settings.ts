import type { Database } from "./database.ts";

/** Tells the triggers from which balance on credits are low. Every process does so when it starts. */
export async function setCreditsLowAt({ pool }: Pick<Database, "pool">, creditsLowAt: number): Promise<void> {
  await pool.query("update webhook_settings set credits_low_at = $1 where credits_low_at <> $1", [creditsLowAt]);
}
