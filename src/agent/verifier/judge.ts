import type { CostMeter } from "../../models/usage.ts";
import type { Criterion, Picture, Task } from "../grounding/claim.ts";
import type { Check } from "./check.ts";

/** Judges what code alone cannot: whether what was achieved is what was asked for. It never sees how the planner thought. */
export interface Judge {
  /** What must be true at the end, from the task alone, before any page is seen. */
  listCriteria(task: Task, means: JudgeContext): Promise<readonly Criterion[]>;
  /** One check for each criterion, and one for each change that was made: was it asked for? */
  judge(trial: Trial, means: JudgeContext): Promise<readonly Check[]>;
}

interface JudgeContext {
  readonly meter: CostMeter;
  readonly signal: AbortSignal;
}

/** Everything that the judge gets to see. */
export interface Trial {
  readonly task: Task;
  readonly criteria: readonly Criterion[];
  /** What the run says: its answer, its data. Not evidence. */
  readonly answer: string;
  readonly data: unknown;
  readonly evidence: readonly Evidence[];
  /** Every change the run made, in words. Each has to be explained by the prompt. */
  readonly changes: readonly Change[];
  readonly picture: Picture | null;
}

/** Something that was seen, by code and not by the planner. */
export interface Evidence {
  /** "e1", "e2", …: a verdict has to name the ones it rests on. */
  readonly id: string;
  /** In our words, and in them alone, such as: a page as a fresh browser shows it. */
  readonly what: string;
  /** Of a page or a server: data. It holds as much as the judge gets to see. */
  readonly text: string;
  /** The same and what was left out, as it runs on the page: a quote may stand here as well. */
  readonly whole: string;
}

export interface Change {
  /** "w1", "w2", … */
  readonly id: string;
  /** Labels and addresses in it are of a page: data. */
  readonly text: string;
  /** Whether it is of the sort that pages send by themselves, so that it may be called harmless. */
  readonly isTechnical: boolean;
  /** False where there are too many to tell: then nobody can have judged it. */
  readonly isTold: boolean;
}
