import pg from "pg";
import { OverloadedError } from "../lib/overloaded-error.ts";

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** About as many as are answered before they would have waited too long anyway. */
const MAX_WAITING_PER_CONNECTION = 100;

/** A pool with a limit on how many wait for one of its connections: whoever comes then is told so at once. */
export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    if (this.idleCount === 0 && this.waitingCount >= this.options.max * MAX_WAITING_PER_CONNECTION) {
      const error = new OverloadedError("database connections");
      if (callback === undefined) return Promise.reject(error);
      callback(error, undefined, () => {});
      return undefined;
    }
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }
}
