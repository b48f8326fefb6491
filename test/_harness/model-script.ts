import { createModelPlanner } from "../../src/agent/planner/model/model-planner.ts";
import type { Planner } from "../../src/agent/planner/planner.ts";
import type { ScriptedCall } from "./model-completion.ts";
import type { ModelRequest } from "./model-request.ts";
import { type ModelReply, type ModelServer, modelAt } from "./model-server.ts";

/** What the model was shown in one turn, for lines that depend on it. */
export class ShownTurn {
  readonly request: ModelRequest;
  /** Everything that is new in this turn. */
  readonly text: string;

  constructor(request: ModelRequest) {
    this.request = request;
    this.text = request.messages.at(-1)?.text ?? "";
  }

  /** The page, as fenced in the prompt. */
  get page(): string {
    return this.block("The page now");
  }

  block(what: string): string {
    return new RegExp(`^${what}:\\n<data-[^>]+>\\n([\\s\\S]*?)\\n</data-`, "m").exec(this.text)?.[1] ?? "";
  }

  /** The ref of the first element with this description, such as: button "Save". */
  ref(thing: string): string {
    const at = this.page.split("\n").flatMap((line) => {
      const end = line.indexOf(thing);
      return end === -1 ? [] : [/((?:f\d+)?[ec]\d+) $/.exec(line.slice(0, end))?.[1] ?? ""];
    });
    const ref = at.find((found) => found !== "");
    if (ref === undefined) throw new Error(`the page has no ${thing}:\n${this.page}`);
    return ref;
  }

  click(thing: string): ScriptedCall {
    return { name: "click", input: this.#target(thing) };
  }

  fill(thing: string, text: string, more: object = {}): ScriptedCall {
    return { name: "fill", input: { ...this.#target(thing), text, ...more } };
  }

  select(thing: string, option: string): ScriptedCall {
    return { name: "select", input: { ...this.#target(thing), options: [option] } };
  }

  #target(thing: string): { ref: string; label: string } {
    return { ref: this.ref(thing), label: /"([^"]*)"/.exec(thing)?.[1] ?? "" };
  }
}

type Said = ScriptedCall | readonly ScriptedCall[] | ModelReply;
export type Line = (turn: ShownTurn) => Said;

/** Plays one line per request; the last one repeats. */
export function play(server: ModelServer, ...lines: Line[]): Promise<Planner> {
  let next = 0;
  server.answer = (request) => {
    const line = lines[Math.min(next, lines.length - 1)];
    next += 1;
    try {
      if (line === undefined) throw new Error("the model has no lines");
      return toReply(line(new ShownTurn(request)));
    } catch (error) {
      // A client error, so that the run ends at once and its outcome shows the problem in the script.
      return { status: 401, body: JSON.stringify({ error: { message: (error as Error).message } }) };
    }
  };
  return createPlanner(server);
}

async function createPlanner(server: ModelServer): Promise<Planner> {
  return createModelPlanner(await modelAt(server, { quotesProvider: true }));
}

export function done(answer: string, more: object = {}): ScriptedCall {
  return { name: "done", input: { answer, ...more } };
}

export function call(name: string, input: object = {}): ScriptedCall {
  return { name, input };
}

function toReply(said: Said): ModelReply {
  if (Array.isArray(said)) return { calls: [...said] };
  return "name" in said ? { calls: [said] } : (said as ModelReply);
}
