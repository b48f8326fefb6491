import type {
  CompletedExecution as AnyCompletedExecution,
  Artifact,
  Connection,
  Execution,
  ExecutionEvent,
  FailedExecution,
  Interaction,
  Operations,
  StepEvent,
} from "./api.ts";
import type { Caller } from "./caller.ts";
import { type Evidence, ExecutionFailed, InteractionEnded } from "./errors.ts";
import { followEvents } from "./events.ts";
import { type Extracted, type OutputSchema, toJsonSchema, validateOutput } from "./output.ts";
import { eitherOf } from "./transport.ts";

type CreateBody = Operations["createExecution"]["body"];
type ListQuery = Operations["listExecutions"]["query"];
type AnswerBody = Operations["answerExecutionInteraction"]["body"];

/** A verified execution, with `result.extracted` in the type of its schema. */
export type CompletedExecution<Data = unknown> = Omit<AnyCompletedExecution, "result"> & {
  result: Omit<AnyCompletedExecution["result"], "extracted"> & { extracted: Data };
};

export interface RequestOptions {
  signal?: AbortSignal | undefined;
}

export interface CreateOptions<Schema = OutputSchema> extends RequestOptions {
  /** The task in plain language. */
  prompt: string;
  /** Default: the application's home page. */
  startUrl?: string | URL | undefined;
  /** What to extract: a zod, valibot, arktype or other Standard Schema, a TypeBox type or a JSON Schema. */
  output?: Schema | undefined;
  /** `commits`: wait for a person before anything is bought, sent, published or deleted. */
  approval?: CreateBody["approval"] | undefined;
  /** Returned in events and webhooks: at most 16 pairs. */
  metadata?: Record<string, string> | undefined;
  /** `auto` (default): the recipe that matches the prompt, if there is one. `off`: none. Or the id of a recipe. */
  recipe?: string | undefined;
  /** With the id of a recipe: a value for each of its variables. `prompt` is then the recipe's template. */
  variables?: Record<string, string> | undefined;
  /** Default: a random one, so that the retries of this call create one execution. Pass your own to cover your retries, too. */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions<Schema = OutputSchema> extends RequestOptions {
  /** Validates and types `result.extracted`. */
  output?: Schema | undefined;
  /** Called for each step as it happens. */
  onStep?: ((step: StepEvent) => void | Promise<void>) | undefined;
  /**
   * Called when the execution waits for a person. What it returns is sent as the answer; without a return value it is left to
   * somebody else, such as a person with the `link`.
   */
  onInteraction?:
    | ((interaction: Interaction) => Answer | undefined | Promise<Answer | undefined> | void | Promise<void>)
    | undefined;
  /** Cancel the execution when `signal` is aborted. Default: it continues without this caller. */
  cancelOnAbort?: boolean | undefined;
}

export type Answer = Omit<AnswerBody, "id">;

/** The longest that one request waits for an execution. */
const WAIT_SECONDS = 30;

export class Executions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Queues an execution and returns at once. */
  async create(options: CreateOptions): Promise<Execution> {
    const { prompt, startUrl, output, approval, metadata, recipe, variables, signal } = options;
    const { idempotencyKey = crypto.randomUUID() } = options;
    const body: CreateBody = {
      prompt,
      ...(startUrl === undefined ? {} : { start_url: String(startUrl) }),
      ...(output === undefined ? {} : { output_schema: toJsonSchema(output) }),
      ...(approval === undefined ? {} : { approval }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(recipe === undefined ? {} : { recipe }),
      ...(variables === undefined ? {} : { variables }),
    };
    const { execution } = await this.#caller.json<"createExecution">({
      method: "POST",
      path: "/executions",
      json: body,
      headers: { "idempotency-key": idempotencyKey },
      signal,
      isRepeatable: true,
    });
    return execution;
  }

  /** With `waitSeconds` (0 to 30), responds as soon as the execution has ended, or after that time. */
  async get(
    id: string,
    { waitSeconds = 0, signal }: RequestOptions & { waitSeconds?: number } = {},
  ): Promise<Execution> {
    const { execution } = await this.#caller.json<"getExecution">({
      path: pathOf(id),
      query: { wait: waitSeconds },
      signal,
      isRepeatable: true,
      waitMs: waitSeconds * 1_000,
    });
    return execution;
  }

  /** One page of the connection's executions, newest first. `list` reads them all. */
  page({ signal, ...query }: RequestOptions & ListQuery = {}): Promise<Operations["listExecutions"]["response"]> {
    return this.#caller.json<"listExecutions">({ path: "/executions", query, signal, isRepeatable: true });
  }

  /** The connection's executions, newest first: `for await (const execution of errand.executions.list())`. */
  async *list(options: RequestOptions & ListQuery = {}): AsyncGenerator<Execution, void> {
    for (let after = options.after; ; ) {
      const { executions, has_more } = await this.page({ ...options, ...(after === undefined ? {} : { after }) });
      yield* executions;
      after = executions.at(-1)?.id;
      if (!has_more || after === undefined) return;
    }
  }

  /** Throws ExecutionFinished when it has already ended otherwise. */
  async cancel(id: string, { signal }: RequestOptions = {}): Promise<Execution> {
    const { execution } = await this.#caller.json<"cancelExecution">({
      method: "POST",
      path: pathOf(id, "/cancel"),
      signal,
      isRepeatable: true,
    });
    return execution;
  }

  /** The events as they happen, to the last one. A broken connection is resumed after the last event. */
  events(
    id: string,
    { after = 0, signal }: RequestOptions & { after?: number } = {},
  ): AsyncGenerator<ExecutionEvent, void> {
    return followEvents({
      after,
      signal,
      maxFailures: this.#caller.maxRetries,
      open: (lastEventId, connection) =>
        this.#caller.send({
          path: pathOf(id, "/events"),
          headers: { accept: "text/event-stream", "last-event-id": String(lastEventId) },
          signal: connection,
          isRepeatable: true,
          isStreamed: true,
        }),
    });
  }

  /** What an ended execution visited and changed, and its files. Also for failed ones. */
  evidence(id: string, { signal }: RequestOptions = {}): Promise<{ evidence: Evidence; artifacts: Artifact[] }> {
    return this.#caller.json<"getExecutionEvidence">({ path: pathOf(id, "/evidence"), signal, isRepeatable: true });
  }

  /** A link to a page that shows the browser live. Open or embed it within minutes. */
  live(id: string, { signal }: RequestOptions = {}): Promise<Operations["createExecutionLiveLink"]["response"]> {
    return this.#caller.json<"createExecutionLiveLink">({
      method: "POST",
      path: pathOf(id, "/live"),
      signal,
      isRepeatable: true,
    });
  }

  /** Creates an execution and waits for it: the verified execution, or ExecutionFailed. */
  async createAndWait<const Schema extends object = never>(
    options: CreateOptions<Schema> & WaitOptions<Schema>,
  ): Promise<CompletedExecution<[Schema] extends [never] ? unknown : Extracted<Schema>>> {
    // A create that is cut off may have been carried out, and could then not be canceled.
    const { signal, ...rest } = options;
    const { id } = await this.create(options.cancelOnAbort ? rest : options);
    return this.wait(id, options);
  }

  /** Waits for an execution: the verified execution, or ExecutionFailed. */
  async wait<const Schema extends object = never>(
    id: string,
    options: WaitOptions<Schema> = {},
  ): Promise<CompletedExecution<[Schema] extends [never] ? unknown : Extracted<Schema>>> {
    const { signal, output, cancelOnAbort = false, onStep, onInteraction } = options;
    try {
      signal?.throwIfAborted();
      if (onStep !== undefined || onInteraction !== undefined) await this.#follow(id, options);
      let execution = await this.get(id, { signal });
      while (execution.status !== "COMPLETED" && execution.status !== "FAILED") {
        execution = await this.get(id, { waitSeconds: WAIT_SECONDS, signal });
      }
      if (execution.status === "FAILED") throw await this.#toFailure(execution);
      const completed = output === undefined ? execution : await validateOutput(execution, output);
      return completed as CompletedExecution<[Schema] extends [never] ? unknown : Extracted<Schema>>;
    } catch (error) {
      // The signal is aborted, so the cancellation must go without it. If it fails, the execution ends by itself.
      if (signal?.aborted && cancelOnAbort) await this.cancel(id).catch(() => {});
      throw error;
    }
  }

  /** Reports the events to the end. Interactions are handled meanwhile: others may answer first. */
  async #follow(id: string, { onStep, onInteraction, signal }: WaitOptions<object>): Promise<void> {
    const failure = new AbortController();
    const both = eitherOf(failure.signal, signal);
    for await (const event of this.events(id, { signal: both })) {
      if (event.type === "step") await onStep?.(event);
      if (event.type === "interaction" && event.data.state === "open" && onInteraction !== undefined) {
        this.#handle(id, onInteraction, both).catch((error: unknown) => failure.abort(error));
      }
    }
  }

  async #handle(
    id: string,
    onInteraction: NonNullable<WaitOptions["onInteraction"]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { interaction } = await this.#caller.json<"getExecutionInteraction">({
      path: pathOf(id, "/interaction"),
      signal,
      isRepeatable: true,
    });
    if (interaction === null) return;
    const answer = await onInteraction(interaction);
    if (answer === undefined || signal.aborted) return;
    await new Interactions(this.#caller)
      .answer(id, { id: interaction.id, ...answer }, { signal })
      .catch((error: unknown) => {
        if (!(error instanceof InteractionEnded)) throw error;
      });
  }

  async #toFailure(execution: FailedExecution): Promise<ExecutionFailed> {
    const found = await this.evidence(execution.id).catch(() => null);
    const mustConnect = execution.terminal.status === "reauthorization_required";
    return new ExecutionFailed(execution, {
      evidence: found?.evidence ?? null,
      artifacts: found?.artifacts ?? [],
      authorization: mustConnect ? await this.#caller.authorization() : null,
    });
  }
}

/** What an execution asks a person. */
export class Interactions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** What the execution waits for; null when it waits for nothing. */
  async get(executionId: string, { signal }: RequestOptions = {}): Promise<Interaction | null> {
    const path = pathOf(executionId, "/interaction");
    const { interaction } = await this.#caller.json<"getExecutionInteraction">({ path, signal, isRepeatable: true });
    return interaction;
  }

  /** The first answer is final: throws InteractionEnded when somebody was faster. */
  async answer(executionId: string, answer: AnswerBody, { signal }: RequestOptions = {}): Promise<Interaction> {
    const { interaction } = await this.#caller.json<"answerExecutionInteraction">({
      method: "POST",
      path: pathOf(executionId, "/interaction"),
      json: answer,
      signal,
      isRepeatable: false,
    });
    return interaction;
  }
}

/** Screenshots, downloads and other files of an execution. */
export class Artifacts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async list(executionId: string, { signal }: RequestOptions = {}): Promise<Artifact[]> {
    const path = pathOf(executionId, "/artifacts");
    const { artifacts } = await this.#caller.json<"listExecutionArtifacts">({ path, signal, isRepeatable: true });
    return artifacts;
  }

  /** The file as a `Response` of `fetch`: read it with `arrayBuffer()`, `blob()`, `text()` or as a stream with `body`. */
  download(executionId: string, artifactId: string, { signal }: RequestOptions = {}): Promise<Response> {
    const path = pathOf(executionId, `/artifacts/${encodeURIComponent(artifactId)}`);
    return this.#caller.send({ path, signal, isRepeatable: true, isStreamed: true });
  }
}

/** The user's connection that the access token belongs to. */
export class Connections {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Its state, whether approvals are asked for, the price of an execution, and whether the balance is enough. */
  async get({ signal }: RequestOptions = {}): Promise<Connection> {
    const request = { path: "/v1/connection", signal, isRepeatable: true };
    return (await this.#caller.json<"getConnection">(request, "service")).connection;
  }
}

function pathOf(executionId: string, rest = ""): string {
  return `/executions/${encodeURIComponent(executionId)}${rest}`;
}
