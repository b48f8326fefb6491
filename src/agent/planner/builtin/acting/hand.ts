import type { Observation } from "../../../../browser/observation/observation.ts";
import { isWrite } from "../../../../browser/session/network-record.ts";
import type { ActionCall, ActionReport } from "../../../actions/action.ts";
import type { Condition, Extraction, Fact } from "../../../grounding/claim.ts";
import type { Turn } from "../../planner.ts";
import { type Scene, type Spot, viewScene } from "../matching/scene.ts";
import { type Course, Stop } from "./course.ts";

/** What a running plan knows: the page before it, what it has done, what it has found out. */
export class Hand {
  readonly now: Date;
  readonly conditions: Condition[] = [];
  readonly facts: Fact[] = [];
  readonly answers: string[] = [];
  extraction: Extraction | null = null;
  /** Words of the thing that was mentioned last, for "it" and for telling equals apart. */
  focus: string | null = null;
  /** What was copied or read for later. */
  copied: string | null = null;
  /** What is to be entered into the browser's dialog that is open, once it is accepted. */
  dialogText: string | null = null;
  /** What the page said last, as a notice, about something that was sent to it. */
  notice: string | null = null;
  /** The element acted on last. */
  last: { readonly ref: string; readonly role: string; readonly name: string } | null = null;
  /** Whether anything was sent to the site that may have changed it. */
  hasWritten = false;
  #turn: Turn;
  #scene: Scene | null = null;

  constructor(turn: Turn, now: Date) {
    this.#turn = turn;
    this.now = now;
  }

  get observation(): Observation {
    return this.#turn.observation;
  }

  get scene(): Scene {
    this.#scene ??= viewScene(this.observation);
    return this.#scene;
  }

  /** The element acted on last, where it is now. */
  get near(): Spot | null {
    const { last } = this;
    if (last === null) return null;
    const alike = this.scene.spots.filter(({ node }) => node.role === last.role && node.name === last.name);
    return alike.find(({ node }) => node.ref === last.ref) ?? (alike.length === 1 ? (alike[0] ?? null) : null);
  }

  /** Asks for actions and waits for what came of them. The last report tells how it ended. */
  *act(calls: readonly ActionCall[], why: string): Course<ActionReport> {
    this.#take(yield { kind: "act", calls, why });
    const report = this.#turn.reports.at(-1);
    if (report === undefined)
      throw new Stop("internal_error", "NO_REPORT", "An action was asked for and nothing was reported.");
    this.hasWritten ||= this.#turn.reports.some(({ events }) => events.requests.some((request) => isWrite(request)));
    return report;
  }

  *pause(milliseconds: number): Course {
    this.#take(yield { kind: "pause", milliseconds });
  }

  /** The site may no longer be as it was: then it is not the prompt that was refused. */
  stop(code: string, reason: string): Stop {
    const isRefusal = code === "AMBIGUOUS" && !this.hasWritten;
    return new Stop(isRefusal ? "unsupported_prompt" : "goal_unreachable", code, reason);
  }

  /** A suggestion that was picked replaces what was typed: then the typed text is no claim any more. */
  forgetTyped(): void {
    const typed = this.conditions.findLastIndex(({ kind }) => kind === "field");
    const condition = this.conditions[typed];
    if (condition?.kind !== "field") return;
    const field = this.scene.spots.find(
      ({ node }) => (node.name || node.field?.placeholder) === condition.label && node.value !== null,
    );
    if (field !== undefined && field.node.value !== condition.value) this.conditions.splice(typed, 1);
  }

  note(about: string, holds = true): void {
    this.conditions.push({ kind: "step", holds, about });
  }

  #take(turn: Turn): void {
    this.#turn = turn;
    this.#scene = null;
  }
}
