import { isStep } from "../agent/steps/check-steps.ts";
import { describeStep } from "../agent/steps/describe-step.ts";
import { shorten } from "../agent/steps/names.ts";
import type { Step } from "../agent/steps/step.ts";
import { checkStepFile, InvalidSteps } from "../agent/steps/step-file.ts";
import { type ConsoleRecipes, createConsoleRecipes } from "../console/recipes.ts";
import type { FindStepsProblem } from "../recipes/recipe-file.ts";
import type { Database } from "../storage/database.ts";
import { createConsoleRecipeStore } from "../storage/sql/console-recipes.ts";
import { createRecipeEditStore } from "../storage/sql/recipe-edits.ts";

/** Recipes as people manage them, in the console and on the command line. */
export function createRecipeService(
  database: Database,
  options: {
    /** Whether this installation uses recipes. */
    isOn: boolean;
    findOutputSchemaProblem(schema: object, requester: string): Promise<string | null>;
  },
): ConsoleRecipes {
  return createConsoleRecipes({
    ...options,
    store: createConsoleRecipeStore(database),
    edits: createRecipeEditStore(database),
    describeSteps: (steps) => steps.map(describe),
    findStepsProblem,
  });
}

/** Steps of an older version may not be understood any more. */
function describe(step: object): string {
  try {
    return describeStep(step as Step);
  } catch {
    return `Unknown step: ${shorten(JSON.stringify(step), 100)}`;
  }
}

/** As `errand steps --check` says it. */
const findStepsProblem: FindStepsProblem = (steps) => {
  try {
    checkStepFile({ steps });
    return null;
  } catch (error) {
    if (!(error instanceof InvalidSteps)) throw error;
    const step = steps.findIndex((one) => !isStep(one));
    return { message: error.message, step: step === -1 ? null : step };
  }
};
