/** The load generator. It has its own process so that its cost does not slow down the servers that it measures. */
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import pg from "pg";
import type { HttpWork, Job, JobReply, JobResult, Statement, StatementWork } from "./job.ts";

const pools = new Map<string, pg.Pool>();

process.on("message", (job: Job) => {
  run(job).then(
    (result) => reply({ result }),
    (error: Error) => reply({ failure: error.message }),
  );
});
// The benchmark is gone.
process.on("disconnect", () => process.exit());

function reply(message: JobReply): void {
  process.send?.(message);
}

function run(job: Job): Promise<JobResult> {
  return job.work.kind === "http" ? sendRequests(job, job.work) : sendStatements(job, job.work);
}

async function sendRequests(job: Job, { port, choices, status }: HttpWork): Promise<JobResult> {
  using connections = new DisposableStack();
  const workers = Array.from({ length: job.concurrency }, () => connections.use(new HttpConnection(port)));
  const { unique } = job;
  const nextUnique = createUnique();
  return await runClosedLoop({
    ...job,
    async call(worker, index) {
      const request = pick(choices, index);
      const text = unique === null ? request : request.replace(unique, nextUnique());
      const response = await pick(workers, worker).request(text);
      if (response.status !== status) throw new Error(`${response.status} instead of ${status}: ${response.body}`);
    },
  });
}

function sendStatements(job: Job, { connectionString, poolSize, choices, rows }: StatementWork): Promise<JobResult> {
  const pool = openPool(connectionString, poolSize);
  const { unique } = job;
  const nextUnique = createUnique();
  return runClosedLoop({
    ...job,
    async call(_worker, index) {
      const recorded = pick(choices, index);
      const statements = unique === null ? recorded : replaceValue(recorded, unique, nextUnique());
      let count: number | null = 0;
      for (const statement of statements) count = (await pool.query(statement)).rowCount;
      if (count !== rows) throw new Error(`${count} rows instead of ${rows}`);
    },
  });
}

/** Pools are kept between jobs, as a server keeps its own: connecting is not measured. */
function openPool(connectionString: string, max: number): pg.Pool {
  const pool = pools.get(connectionString) ?? new pg.Pool({ connectionString, max });
  pools.set(connectionString, pool);
  return pool;
}

/** Replaces a bound value, also inside lists. */
function replaceValue(statements: Statement[], from: unknown, to: unknown): Statement[] {
  const replace = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(replace) : value === from ? to : value;
  return statements.map((statement) => ({ ...statement, values: statement.values.map(replace) }));
}

function createUnique(): () => string {
  const prefix = randomUUID();
  let count = 0;
  return () => `${prefix}-${++count}`;
}

function pick<Item>(items: Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("The job has no requests or statements.");
  return item;
}

interface ClosedLoop {
  concurrency: number;
  seconds: number;
  maxCalls: number;
  /** `index` counts the calls of all workers. Must throw unless the result is the expected one. */
  call(worker: number, index: number): Promise<void>;
}

/** Each worker starts its next call when the previous one is done. The first failure ends the job. */
async function runClosedLoop({ concurrency, seconds, maxCalls, call }: ClosedLoop): Promise<JobResult> {
  const latenciesMs = new Float64Array(maxCalls);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const deadlineMs = startedMs + seconds * 1_000;
  let sent = 0;
  let done = 0;
  let isOver = false;

  async function work(worker: number): Promise<void> {
    let beforeMs = performance.now();
    while (!isOver && sent < maxCalls && beforeMs < deadlineMs) {
      await call(worker, sent++);
      const afterMs = performance.now();
      latenciesMs[done++] = afterMs - beforeMs;
      beforeMs = afterMs;
    }
  }

  try {
    await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  } finally {
    isOver = true;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startedMs) / 1_000,
    latenciesMs: latenciesMs.slice(0, done),
    cpuSeconds: (user + system) / 1_000_000,
  };
}

interface HttpResponse {
  status: number;
  body: string;
}

const HEAD_END = "\r\n\r\n";
const TIMEOUT_MS = 10_000;

/**
 * One keep-alive connection with one request at a time. It supports only what our own servers send: every response must
 * have a Content-Length. Bytes are decoded as latin1, which keeps lengths correct and is the cheapest decoding.
 */
class HttpConnection implements Disposable {
  readonly #socket: Socket;
  #received = "";
  #waiting: PromiseWithResolvers<HttpResponse> | null = null;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1").setTimeout(TIMEOUT_MS);
    this.#socket.on("data", (text: string) => this.#receive(text));
    this.#socket.on("timeout", () => this.#fail(new Error(`No response within ${TIMEOUT_MS} ms`)));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("The server closed the connection")));
  }

  request(text: string): Promise<HttpResponse> {
    this.#waiting = Promise.withResolvers<HttpResponse>();
    this.#socket.write(text, "latin1");
    return this.#waiting.promise;
  }

  #receive(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`A response without Content-Length:\n${head}`));
      return;
    }
    const bodyStart = headEnd + HEAD_END.length;
    if (this.#received.length < bodyStart + Number(length)) return;
    const response = { status: Number(head.slice(9, 12)), body: this.#received.slice(bodyStart) };
    this.#received = "";
    this.#waiting?.resolve(response);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#socket.destroy();
  }

  [Symbol.dispose](): void {
    this.#waiting = null;
    this.#socket.destroy();
  }
}
