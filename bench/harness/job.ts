/** A job for the load generator. It is sent between processes, so it is plain data. */
export interface Job {
  work: HttpWork | StatementWork;
  /** Calls in flight at any time. */
  concurrency: number;
  seconds: number;
  /** The job ends after this many calls or after its time, whichever comes first. */
  maxCalls: number;
  /** This text is replaced in each call by a value that was never used before. */
  unique: string | null;
}

export interface HttpWork {
  kind: "http";
  port: number;
  /** Whole requests, head and body, sent in turn. */
  choices: string[];
  /** The expected status of every response. */
  status: number;
}

export interface StatementWork {
  kind: "statements";
  connectionString: string;
  poolSize: number;
  /** Sequences of statements, sent in turn. */
  choices: Statement[][];
  /** The expected number of rows from the last statement of a sequence. */
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
  /** CPU time of the generator itself; for statements, that is all CPU time outside the database. */
  cpuSeconds: number;
}

export type JobReply = { result: JobResult } | { failure: string };
