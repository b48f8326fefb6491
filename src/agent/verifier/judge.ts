import type { Observation } from "../../browser/observation/observation.ts";
import type { CostMeter } from "../../models/usage.ts";
import type { Criterion, Screenshot, Task } from "../grounding/claim.ts";
import type { Check } from "./check.ts";

/** Judges what code alone cannot: whether the result is what the task asks for. It never sees the planner's reasoning. */
export interface Judge {
  /** What the task asks for, from its words alone, before any page is seen. */
  readTask(task: Task, context: JudgeContext): Promise<TaskReading>;
  /** Whether the task asks for something lasting that is about to be done. Null when there is no opinion: that is a no. */
  judgeCommit(trial: CommitTrial, context: JudgeContext): Promise<CommitOpinion | null>;
  /** One check for each criterion, and one for each change that the task does not explain. */
  judge(trial: Trial, context: JudgeContext): Promise<readonly Check[]>;
}

export interface TaskReading {
  /** What must be true at the end. */
  readonly criteria: readonly Criterion[];
  /** Whether it only asks for something to be found out: then nothing may be changed. */
  readonly isQuestion: boolean;
}

interface JudgeContext {
  readonly meter: CostMeter;
  readonly signal: AbortSignal;
}

/** Everything that the judge gets to see. */
export interface Trial {
  readonly task: Task;
  readonly criteria: readonly Criterion[];
  /** The run's own answer and data: a claim, not evidence. */
  readonly answer: string;
  readonly data: string | null;
  readonly evidence: readonly Evidence[];
  /** Every change the run made, in words. The task must explain each of them. */
  readonly changes: readonly Change[];
  readonly picture: Screenshot | null;
}

/** Something that was observed, by code and not by the planner. */
export interface Evidence {
  /** "e1", "e2", …: a verdict must cite those it rests on. */
  readonly id: string;
  /** In our own words only, such as "A page as a fresh browser shows it". */
  readonly what: string;
  /** From a page or a server, so data. This is what the judge is shown. */
  readonly text: string;
  /** The single texts of it, such as the cells of a table, including those left out. */
  readonly parts: readonly string[];
  /** The whole text of the page, including what was left out: quotes from it count as well. */
  readonly whole: string;
}

export interface Change {
  /** "w1", "w2", … */
  readonly id: string;
  /** Labels and URLs in it come from a page, so it is data. */
  readonly text: string;
  /** Whether pages send such requests by themselves, so that it may be called harmless. */
  readonly isTechnical: boolean;
  /** False for those beyond the limit of the list: they cannot have been judged. */
  readonly isListed: boolean;
}

/** Something lasting that the run is about to do, before it is done. */
export interface CommitTrial {
  readonly task: Task;
  /** What it is, in the planner's words: a claim. */
  readonly sentence: string;
  /** What will be acted on, such as: click "Place order". From the page, so data. */
  readonly action: string;
  /** The page as it is now. */
  readonly page: Observation;
  /** What its fields hold, without secrets. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
  /** What the run has sent before, in words. */
  readonly earlier: readonly string[];
}

export interface CommitOpinion {
  readonly agreed: boolean;
  readonly reason: string;
  /** What the page says it costs, with its currency; empty or absent without a price. */
  readonly amount?: string;
}
