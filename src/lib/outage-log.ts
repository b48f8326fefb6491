import { describeError } from "./describe-error.ts";
import type { Logger } from "./logger.ts";

interface OutageTexts {
  broken: string;
  mended: string;
}

/** Says once that something outside is away, and once that it is back; the attempts in between are for who debugs. */
export interface OutageLog {
  fail(error: unknown): void;
  succeed(): void;
}

export function createOutageLog(logger: Logger, { broken, mended }: OutageTexts): OutageLog {
  let isAway = false;
  return {
    fail(error) {
      logger[isAway ? "debug" : "warn"]({ reason: describeError(error) }, broken);
      isAway = true;
    },
    succeed() {
      if (isAway) logger.info(mended);
      isAway = false;
    },
  };
}
