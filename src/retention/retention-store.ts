/** Everything by pages, so that no statement takes long or holds much. */
export interface RetentionStore {
  /** By this clock things are old: that of a single machine may jump, and what is removed does not come back. */
  now(): Promise<Date>;
  /** Executions that ended before this time, the oldest first, after this one. */
  listEnded(before: Date, page: Page): Promise<string[]>;
  /** With their events and the rows of their artifacts; the ledger stays. One that is being looked after by others is passed over. */
  deleteEnded(executionIds: readonly string[]): Promise<number>;
  /** As `listEnded`, but only those that still have artifacts. */
  listWithArtifacts(before: Date, page: Page): Promise<string[]>;
  /** What is asked for them is answered as gone from now on. */
  markExpired(executionIds: readonly string[]): Promise<void>;
  /** Which of these files nobody can ask for, of executions that ended before this time. */
  findOrphans(files: readonly ArtifactName[], endedBefore: Date): Promise<ArtifactName[]>;
  /** Sessions, codes and attempts that expired before this time: some of them, and how many. */
  forgetExpired(before: Date, limit: number): Promise<number>;
}

export interface Page {
  after: string;
  limit: number;
}

export interface ArtifactName {
  executionId: string;
  artifactId: string;
}

/** Before all others. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
