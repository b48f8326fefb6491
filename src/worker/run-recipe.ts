import type { Errand } from "../agent/loop/errand.ts";
import type { Claim, QueueStore } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { toBoundedJson, toStorableJson } from "../lib/storable.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { Lesson, RecipeBody, RecipeOutcome } from "../recipes/recipe.ts";
import type { RecipeRunStore } from "../recipes/recipe-store.ts";
import { fillTemplate } from "../recipes/template.ts";
import type { Conclusion, RunEnd, RunFacts } from "./conclusion.ts";
import { countRecipe, type RecipeReport } from "./run-telemetry.ts";

/** The recipe of one run: what the agent gets of it, and what is stored of it in the end. */
interface RunRecipe {
  readonly errand: Pick<Errand, "recipe" | "learns">;
  /** The prompt with the values that the request gave for its slots. */
  readonly prompt: string;
  /** Reports which recipe the run uses, if any. */
  announce(): Promise<void>;
  /**
   * Stores how the recipe went and what the run teaches, before the end is stored. It does not fail, and takes a few seconds
   * at most: what cannot be stored is logged, and the execution ends as it would.
   */
  keep(run: EndedRun): Promise<void>;
}

interface EndedRun extends Pick<RunFacts, "stopReason"> {
  end: RunEnd;
  conclusion: Conclusion;
  durationMs: number;
}

interface RunRecipeOptions {
  claim: Claim;
  /** Null: this installation uses no recipes. */
  recipes: RecipeRunStore | null;
  queue: Pick<QueueStore, "appendEvent">;
  logger: Logger;
}

const KEEP_TIMEOUT_MS = 3_000;
const BODY_MAX_BYTES = 64 * 1024;
const EVENT_MAX_BYTES = 8 * 1024;

export function createRunRecipe({ claim, recipes, queue, logger }: RunRecipeOptions): RunRecipe {
  const { execution, fence } = claim;
  const run = { executionId: execution.id, fence };
  const used = recipes === null ? null : claim.recipe;
  const learns = recipes !== null && claim.learns;

  async function report(outcome: RecipeReport, detail: object): Promise<void> {
    countRecipe(outcome);
    const data = toBoundedJson({ outcome, ...detail }, EVENT_MAX_BYTES);
    await queue.appendEvent(execution.id, fence, { type: "recipe", data });
  }

  async function keepOutcome(store: RecipeRunStore, outcome: RecipeOutcome, durationMs: number): Promise<void> {
    if (used === null) return;
    const about = { recipe_id: used.id, version: used.version };
    const { kind, ...detail } = outcome;
    const { isSetAside } = await store.noteOutcome(run, { kind, durationMs });
    await report(kind, { ...about, ...withoutNulls(detail) });
    if (isSetAside) await report("set_aside", about);
  }

  async function keepLesson(store: RecipeRunStore, lesson: Lesson, ended: VerifiedRun): Promise<void> {
    if (lesson.kind === "not_learned") {
      await report("not_learned", { reason: lesson.reason });
      return;
    }
    const body: RecipeBody = toStorableJson(lesson.body);
    if (Buffer.byteLength(JSON.stringify(body)) > BODY_MAX_BYTES) {
      await report("not_learned", { reason: "The recipe would be too long." });
      return;
    }
    const { tokens, durationMs, isHealed } = ended;
    const healed = isHealed && used !== null ? { id: used.id, version: used.version } : null;
    const stored = await store.learn(run, { body, tokens, durationMs, healed });
    if (stored !== null) await report("learned", { recipe_id: stored.id, version: stored.version });
  }

  async function keepAll(store: RecipeRunStore, { end, durationMs }: EndedRun): Promise<void> {
    if (end.kind !== "ended") return;
    const { kind, recipe = null, lesson = null, cost } = end.outcome;
    const isVerified = kind === "verified";
    if (recipe !== null && (recipe.kind !== "failed") === isVerified) await keepOutcome(store, recipe, durationMs);
    if (!isVerified || !learns || lesson === null) return;
    // A run that followed its recipe to the end teaches nothing new.
    if (used !== null && recipe?.kind !== "healed") return;
    const tokens = cost === null ? 0 : cost.input_tokens + cost.output_tokens;
    await keepLesson(store, lesson, { tokens, durationMs, isHealed: recipe?.kind === "healed" });
  }

  return {
    errand: { recipe: used, learns },
    prompt: fillTemplate(execution.prompt, execution.recipe?.values ?? {}),

    async announce() {
      if (used === null) return;
      await report("used", { recipe_id: used.id, version: used.version }).catch((error: Error) =>
        logger.warn({ err: error }, "The recipe of the run could not be reported"),
      );
    },

    async keep(ended) {
      if (recipes === null || !isMeaningful(ended)) return;
      try {
        const kept = keepAll(recipes, ended).then(() => true);
        if ((await withTimeout(kept, KEEP_TIMEOUT_MS)) === null)
          logger.error("The recipe of the run was not stored in time");
      } catch (error) {
        logger.error({ err: error, recipe_id: used?.id }, "The recipe of the run could not be stored");
      }
    },
  };
}

/** A run that was stopped says nothing about its recipe, unless it had been verified before. */
function isMeaningful({ conclusion, stopReason }: EndedRun): boolean {
  return conclusion.kind === "finish" && (stopReason === null || conclusion.outcome.status === "COMPLETED");
}

interface VerifiedRun {
  tokens: number;
  durationMs: number;
  isHealed: boolean;
}

function withoutNulls(detail: object): object {
  return Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== null));
}
