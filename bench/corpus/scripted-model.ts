import type { ScriptedCall } from "../../test/_harness/model-completion.ts";
import type { ModelRequest } from "../../test/_harness/model-request.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../../test/_harness/model-server.ts";
import { giveVerdict } from "./honest-judge.ts";
import { ShownPage, type ShownTarget, type Where } from "./shown-page.ts";

/** What a careful model does in one task. It ends with `done` or `giveUp`. */
export type Script = (model: Turns) => Promise<void>;

export interface ScriptedTask {
  script: Script;
  /** What an honest verifier expects on a fresh page; by default, the quotes that the script gives to `done`. */
  evidence?: readonly string[];
}

interface Fact {
  about: string;
  value?: string;
  quote: string;
}

interface Grounds {
  facts?: readonly Fact[];
  /** Text of a page, or a field and its value. */
  proofs?: readonly (string | { field: string; value: string })[];
}

/** A model on loopback that plays one script after another over the OpenAI protocol. */
export interface ScriptedModel extends AsyncDisposable {
  url: string;
  play(task: ScriptedTask): Played;
}

interface Played {
  /** Why the script could not go on; null if it could. */
  problem(): string | null;
  /** Every request of the planner and the verifier with its reply, for people. */
  transcript(): string;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  let current: Play | null = null;
  const server: ModelServer = await startModelServer(async (request) => {
    // A client error is not retried.
    if (current === null) return { status: 400, body: '{"error":{"message":"nothing is scripted"}}' };
    return await current.answer(request);
  });
  return {
    url: server.url,
    play(task) {
      current = new Play(task);
      return current;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** One script. Each action answers the request that the planner waits with, and resolves with its next one. */
class Play implements Played {
  readonly #task: ScriptedTask;
  readonly #turns: Turns;
  readonly #lines: string[] = [];
  #problem: string | null = null;
  #hasStarted = false;

  constructor(task: ScriptedTask) {
    this.#task = task;
    this.#turns = new Turns();
  }

  problem(): string | null {
    return this.#problem;
  }

  transcript(): string {
    return this.#lines.join("\n");
  }

  async answer(request: ModelRequest): Promise<ModelReply> {
    const calls = [await this.#choose(request)];
    const shown = request.messages.at(-1)?.text ?? "";
    this.#lines.push("=".repeat(100), shown, "-".repeat(100), JSON.stringify(calls, null, 1));
    return { calls };
  }

  async #choose(request: ModelRequest): Promise<ScriptedCall> {
    const [tool] = request.toolNames;
    if (tool === "list_criteria") return { name: tool, input: { criteria: [] } };
    // The judge of the benchmark knows that its planner does what the task asks for.
    if (tool === "decide") return { name: tool, input: { agreed: true, reason: "The task asks for it." } };
    if (tool === "give_verdict") {
      return { name: tool, input: giveVerdict(request, this.#task.evidence ?? this.#turns.quotes) };
    }
    const call = this.#turns.take(new ShownPage(request));
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      void this.#run();
    }
    return await call;
  }

  async #run(): Promise<void> {
    try {
      await this.#task.script(this.#turns);
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#turns.end(this.#problem);
    }
  }
}

const WAIT_SECONDS = 5;

/** The model's side of a run. Targets are named by what the page shows. */
export class Turns {
  /** What `done` has quoted. */
  readonly quotes: string[] = [];
  #page: ShownPage | null = null;
  #reply: ((call: ScriptedCall) => void) | null = null;
  #next: ((page: ShownPage) => void) | null = null;

  /** The newest request of the planner. */
  get page(): ShownPage {
    if (this.#page === null) throw new Error("Nothing has been shown yet.");
    return this.#page;
  }

  /** @internal The planner asks; the script replies. */
  take(page: ShownPage): Promise<ScriptedCall> {
    const { promise, resolve } = Promise.withResolvers<ScriptedCall>();
    this.#page = page;
    this.#reply = resolve;
    const next = this.#next;
    this.#next = null;
    next?.(page);
    return promise;
  }

  /** @internal Ends the run, whatever the script was waiting for. */
  end(reason: string): void {
    this.#reply?.(giveUpCall("goal_unreachable", reason));
  }

  async click(name: string, where?: Where & { double?: boolean }): Promise<void> {
    const { double, ...place } = where ?? {};
    await this.#act("click", { ...toInput(await this.target(name, place)), ...(double && { double }) });
  }

  async fill(name: string, text: string, where?: Where & { submit?: boolean }): Promise<void> {
    const { submit, ...place } = where ?? {};
    await this.#act("fill", { ...toInput(await this.target(name, place)), text, ...(submit && { submit }) });
  }

  /** Changes a part of a text, and nothing else. */
  async edit(name: string, change: { replace?: string; append?: true; text: string }, where?: Where): Promise<void> {
    await this.#act("edit", { ...toInput(await this.target(name, where)), ...change });
  }

  async check(name: string, checked: boolean, where?: Where): Promise<void> {
    await this.#act("check", { ...toInput(await this.target(name, where)), checked });
  }

  async select(name: string, option: string, where?: Where): Promise<void> {
    await this.#act("select", { ...toInput(await this.target(name, where)), options: [option] });
  }

  async press(key: string, name?: string, where?: Where): Promise<void> {
    await this.#act("press", { key, ...(name !== undefined && toInput(await this.target(name, where))) });
  }

  async hover(name: string, where?: Where): Promise<void> {
    await this.#act("hover", toInput(await this.target(name, where)));
  }

  async drag(name: string, onto: string, where?: Where, ontoWhere?: Where): Promise<void> {
    const from = await this.target(name, where);
    const { ref, name: label } = await this.target(onto, ontoWhere);
    await this.#act("drag", { ...toInput(from), to_ref: ref, to_label: label });
  }

  async goto(url: string): Promise<void> {
    await this.#act("goto", { url });
  }

  async scroll(direction: "down" | "up"): Promise<void> {
    await this.#act("scroll", { direction });
  }

  async accept(): Promise<void> {
    await this.#act("dialog", { accept: true });
  }

  /** Until the page shows the text. */
  async see(text: string): Promise<void> {
    if (this.page.includes(text)) return;
    await this.#try("wait_for", { text, timeout_seconds: WAIT_SECONDS });
    if (this.page.includes(text)) return;
    await this.#try("find", { words: text });
    if (this.page.includes(text)) return;
    await this.#try("read", {});
    if (!this.page.includes(text)) throw new Error(`not shown: "${text}"`);
  }

  /** Whether the page has it, without waiting for it. */
  async has(text: string): Promise<boolean> {
    if (this.page.includes(text)) return true;
    await this.#try("find", { words: text });
    return this.page.includes(text);
  }

  async note(fact: Fact): Promise<void> {
    await this.#send({ name: "note", input: fact });
  }

  /** Returns only if the run is over or was refused; the latter throws. */
  async done(answer: string, { facts = [], proofs = [] }: Grounds): Promise<void> {
    this.quotes.push(...facts.map(({ quote }) => quote));
    this.quotes.push(...proofs.map((proof) => (typeof proof === "string" ? proof : proof.value)));
    const input = {
      answer,
      ...(facts.length > 0 && { facts }),
      ...(proofs.length > 0 && {
        proofs: proofs.map((proof) => (typeof proof === "string" ? { text: proof } : proof)),
      }),
    };
    const { objection, remarks } = await this.#send({ name: "done", input });
    throw new Error(objection === "" ? remarks : `the verifier objects: ${objection}`);
  }

  async giveUp(reason: string, kind = "goal_unreachable"): Promise<void> {
    await this.#send(giveUpCall(kind, reason));
  }

  /** What the model takes for the target: shown on the page, or else found by `find`, if need be after a moment. */
  async target(name: string, where: Where = {}): Promise<ShownTarget> {
    const shown = this.page.findTarget(name, where);
    if (shown !== null) return shown;
    const words = name === "" ? (where.role ?? "") : name;
    for (const isWaiting of [false, true]) {
      if (isWaiting) await this.#try("wait_for", { text: words, timeout_seconds: WAIT_SECONDS });
      await this.#try("find", { words });
      const found = this.page.findTarget(name, where) ?? this.page.findFoundTarget(name, where);
      if (found !== null) return found;
    }
    throw new Error(
      `not shown: ${[where.role, `"${name}"`, where.near && `near "${where.near}"`].filter(Boolean).join(" ")}`,
    );
  }

  async #act(tool: string, input: object): Promise<void> {
    const { result, remarks } = await this.#try(tool, input);
    const failure = /^\S.* failed \(([a-z_]+)\).*\n {2}(.*)$/m.exec(result);
    if (failure !== null) throw new Error(`${tool} failed (${failure[1]}): ${failure[2]}`);
    if (result === "") throw new Error(`${tool} was not performed: ${remarks}`);
  }

  async #try(action: string, input: object): Promise<ShownPage> {
    if (!this.page.actions.includes(action)) throw new Error(`the action ${action} is not offered`);
    return await this.#send({ name: "act", input: { actions: [{ action, ...input }] } });
  }

  async #send(call: ScriptedCall): Promise<ShownPage> {
    const { promise, resolve } = Promise.withResolvers<ShownPage>();
    this.#next = resolve;
    this.#reply?.(call);
    return await promise;
  }
}

function toInput({ ref, name }: ShownTarget): { ref: string; label: string } {
  return { ref, label: name };
}

function giveUpCall(kind: string, reason: string): ScriptedCall {
  return { name: "give_up", input: { kind, reason: reason.slice(0, 300) } };
}
