import { type Model, ModelFailure, type ModelTrouble, type Tool } from "../model.ts";

const READY: Tool = {
  name: "ready",
  description: "Says that you are there.",
  input: { type: "object", properties: {}, additionalProperties: false },
};

/** What one bad answer says nothing about: the model is there. */
const THERE: readonly ModelTrouble[] = ["rejected", "unusable"];

/** Asks the least that can be asked. Throws a ModelFailure when the model cannot be had at all. */
export async function checkModelThere(model: Model, signal: AbortSignal): Promise<void> {
  const question = { system: "Call the tool.", lasting: "Are you there?", parts: [], tools: [READY], maxCalls: 1 };
  try {
    await model.ask(question, signal);
  } catch (error) {
    if (!(error instanceof ModelFailure && THERE.includes(error.trouble))) throw error;
  }
}
