import type { Claim, QueueStore } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { toBoundedJson, toStorableJson } from "../lib/storable.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { Lesson, RecipeBody, RecipeOutcome, RecipeUse } from "../recipes/recipe.ts";
import type { RecipeRunStore } from "../recipes/recipe-store.ts";
import { fillTemplate } from "../recipes/template.ts";
import type { Conclusion, RunEnd, RunFacts } from "./conclusion.ts";
import { countRecipe, type RecipeReport } from "./run-telemetry.ts";

/** The recipe of one run: the one that it follows, and the one that it becomes. */
interface RunRecipe {
  readonly recipe: RecipeUse | null;
  /** The prompt with the values that the request gave for its slots. */
  readonly prompt: string;
  /** Reports which recipe the run uses, if any. */
  announce(): Promise<void>;
  /**
   * Stores how the recipe went and what the run teaches, before the end is stored. Where nothing is to be learned, that is kept
   * as a draft. It does not fail, and takes a few seconds at most: what cannot be stored is logged, and the execution ends as
   * it would.
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
  recipes: RecipeRunStore;
  usesRecipes: boolean;
  queue: Pick<QueueStore, "appendEvent">;
  logger: Logger;
}

const KEEP_TIMEOUT_MS = 3_000;
const BODY_MAX_BYTES = 64 * 1024;
const EVENT_MAX_BYTES = 8 * 1024;

export function createRunRecipe({ claim, recipes, usesRecipes, queue, logger }: RunRecipeOptions): RunRecipe {
  const { execution, fence } = claim;
  const run = { executionId: execution.id, fence };
  const used = usesRecipes ? claim.recipe : null;
  const learns = usesRecipes && claim.learns;

  async function report(outcome: RecipeReport, detail: object): Promise<void> {
    countRecipe(outcome);
    const data = toBoundedJson({ outcome, ...detail }, EVENT_MAX_BYTES);
    await queue.appendEvent(execution.id, fence, { type: "recipe", data });
  }

  async function keepOutcome(outcome: RecipeOutcome, durationMs: number): Promise<void> {
    if (used === null) return;
    const about = { recipe_id: used.id, version: used.version };
    const { kind, usesValue, ...detail } = { usesValue: false, ...outcome };
    const { isSetAside } = await recipes.noteOutcome(run, { kind, usesValue, durationMs });
    await report(kind, { ...about, ...withoutNulls(detail) });
    if (isSetAside) await report("set_aside", about);
  }

  async function keepLesson(lesson: Lesson, ended: VerifiedRun): Promise<void> {
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
    const stored = learns ? await recipes.learn(run, { body, tokens, durationMs, healed }) : null;
    if (stored !== null) await report("learned", { recipe_id: stored.id, version: stored.version });
    else if (used === null) await recipes.keepDraft(run, { body, tokens, durationMs });
  }

  async function keepAll({ end, durationMs }: EndedRun): Promise<void> {
    if (end.kind !== "ended") return;
    const { kind, recipe = null, lesson = null, cost } = end.outcome;
    const isVerified = kind === "verified";
    if (recipe !== null && (recipe.kind !== "failed") === isVerified) await keepOutcome(recipe, durationMs);
    if (!isVerified || lesson === null) return;
    // A run that followed its recipe to the end teaches nothing new.
    if (used !== null && recipe?.kind !== "healed") return;
    const tokens = cost === null ? 0 : cost.input_tokens + cost.output_tokens;
    await keepLesson(lesson, { tokens, durationMs, isHealed: recipe?.kind === "healed" });
  }

  return {
    recipe: used,
    prompt: fillTemplate(execution.prompt, execution.recipe?.values ?? {}),

    async announce() {
      if (used === null) return;
      await report("used", { recipe_id: used.id, version: used.version }).catch((error: Error) =>
        logger.warn({ err: error }, "The recipe of the run could not be reported"),
      );
    },

    async keep(ended) {
      if (!isMeaningful(ended)) return;
      try {
        const kept = keepAll(ended).then(() => true);
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
