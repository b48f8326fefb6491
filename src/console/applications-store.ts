import type { Application } from "../applications/application.ts";

/** An application as its owner sees it. */
export interface OwnedApplication extends Application {
  /** Of the live ones, newest first. */
  secretsCreatedAt: Date[];
  connections: number;
  /** Executions created in the last 24 hours. */
  recentExecutions: number;
}

export interface ConsoleApplicationStore {
  /** The oldest first. */
  list(ownerId: string): Promise<OwnedApplication[]>;
  /** Null when this owner has none with this id. */
  find(ownerId: string, id: string): Promise<OwnedApplication | null>;
  /**
   * With its connections and all that they have done, as `ConsoleConnectionStore.delete` does it. Nobody can use it from the
   * first moment on.
   */
  delete(id: string): Promise<void>;
}
