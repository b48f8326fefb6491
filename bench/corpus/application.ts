import type { Fault } from "./front.ts";
import type { ScriptedTask } from "./scripted-model.ts";

/** A real web application with known data, and what is asked of it. */
export interface Application {
  name: string;
  /** What sort of application it is, for the report. */
  kind: string;
  /** Puts the known data into the empty folder, before the application starts. */
  seed(stage: Stage): Promise<void>;
  /** Puts in what only the running application can. Called once, on the seeded folder. */
  seedRunning?(stage: Stage): Promise<void>;
  /** The process that serves the folder on the port. */
  command(stage: Stage): Command;
  /** Whether the process must be restarted to see other files, or still writes after its response. */
  restarts: boolean;
  /** Headers that sign the visitor in, unless a prompt says that the visitor is anonymous. */
  signIn?(stage: Stage): Promise<Record<string, string>>;
  /** All that the application has stored, from its own files, database or API, without what changes by itself. */
  snapshot(stage: Stage): Promise<Snapshot>;
  prompts: readonly Prompt[];
}

export interface Stage {
  /** Kept for the whole run, for a program that cannot run where it was installed. */
  root: string;
  /** The application's data. */
  folder: string;
  /** The application itself, without anything in front of it. */
  url: string;
  port: number;
}

export interface Command {
  file: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** By record: the key names it, the value is what is stored. */
export type Snapshot = Readonly<Record<string, unknown>>;

export interface Prompt {
  id: string;
  /** The path of the start page. */
  start: string;
  prompt: string;
  schema?: Record<string, unknown>;
  /** What goes wrong between the browser and the application. */
  faults?: readonly Fault[];
  isAnonymous?: boolean;
  /** What the model does. Without it, the prompt runs as steps. */
  model?: ScriptedTask;
  expect: Expectation;
}

/** Nothing but the named change may have happened, in any case. */
export type Expectation =
  /** `final_text` is one of these, or a label followed by it. */
  | { kind: "answer"; answers: readonly string[] }
  /** `final_text` mentions all of these and none of those. */
  | { kind: "mentions"; all: readonly string[]; none: readonly string[] }
  /** `extracted` equals this. */
  | { kind: "extracted"; value: unknown }
  /** The stored data is the seeded data with this change. */
  | { kind: "change"; change: (before: Snapshot) => Snapshot; answers?: readonly string[] }
  /** Cannot be done: any outcome but `verified` is honest. */
  | { kind: "impossible"; why: Obstacle; mayBecome?: (before: Snapshot) => Snapshot };

export type Obstacle =
  | "missing"
  | "ambiguous"
  | "no permission"
  | "refused write"
  | "lost write"
  | "server error"
  | "hostile text"
  | "unknown answer";

export function answer(...answers: string[]): Expectation {
  return { kind: "answer", answers };
}

export function impossible(why: Obstacle): Expectation {
  return { kind: "impossible", why };
}

/** One record gets another value. */
export function changed(key: string, value: unknown | ((before: unknown) => unknown)): Expectation {
  return {
    kind: "change",
    change: (before) => ({ ...before, [key]: typeof value === "function" ? value(before[key]) : value }),
  };
}

export function removed(...keys: string[]): Expectation {
  return {
    kind: "change",
    change: (before) => Object.fromEntries(Object.entries(before).filter(([key]) => !keys.includes(key))),
  };
}
