/** What the load generator is asked to do. Sent between processes, so plain data only. */
export interface Job {
  work: HttpWork | StatementWork;
  /** How many calls are under way at any time. */
  concurrency: number;
  seconds: number;
  /** Whichever comes first, this or the time, ends the measurement. */
  maxCalls: number;
  /** This text in a call is replaced by one that was never used before. */
  unique: string | null;
}

export interface HttpWork {
  kind: "http";
  port: number;
  /** Whole requests, head and body; used in turn. */
  choices: string[];
  status: number;
}

export interface StatementWork {
  kind: "statements";
  connectionString: string;
  poolSize: number;
  /** Sequences that are sent one statement after the other; used in turn. */
  choices: Statement[][];
  /** How many rows the last statement of a sequence must bring. */
  rows: number;
}

export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

export interface JobResult {
  seconds: number;
  latenciesMs: Float64Array;
  /** What the generator itself used: for statements that is all there is outside the database. */
  cpuSeconds: number;
}

export type JobAnswer = { result: JobResult } | { failure: string };
