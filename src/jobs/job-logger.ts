import { Logger as JobLogger } from "graphile-worker";
import type { Logger } from "../lib/logger.ts";

/** What the library says of itself: its messages, and nothing of what it attaches to them. */
export function toJobLogger(logger: Logger): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message) => {
    const job = taskIdentifier === undefined ? {} : { task: taskIdentifier, job_id: jobId };
    if (level === "error" || level === "warning") logger.warn(job, message);
    else logger.debug(job, message);
  });
}
