import type { Application, ApplicationSettings } from "./application.ts";

export interface ApplicationStore {
  /** Inserts the application and its first secret, if it has one, in one transaction. */
  insert(application: Omit<Application, "id" | "createdAt">, secretHash: Buffer | null): Promise<Application>;
  /**
   * Only what is named, in one transaction. An application that only looked and may now do everything leaves its connections
   * as REAUTHORIZATION_REQUIRED. Null when there is none.
   */
  update(id: string, changes: Partial<ApplicationSettings>): Promise<Application | null>;
  find(id: string): Promise<Application | null>;
  list(): Promise<Application[]>;
  /** Newest first. */
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
  /** Adds a secret and drops all but the newest `keep`, atomically. */
  rotateSecret(applicationId: string, secretHash: Buffer, keep: number): Promise<void>;
  /** Drops all but the newest. */
  dropOldSecrets(applicationId: string): Promise<void>;
  /** The installation's first owner, who exists from the first migration on. */
  getFirstOwnerId(): Promise<string>;
}
