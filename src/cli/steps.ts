import type { Command } from "commander";
import type { UnderstoodSteps } from "../app/understood-steps.ts";
import { pluralize } from "../lib/pluralize.ts";
import { JSON_OPTION } from "./options.ts";
import { clean, paint, printResult } from "./output.ts";

interface StepsOptions {
  check?: string;
  yaml?: boolean;
  json?: boolean;
}

const HELP = `
Nothing is run and nothing is opened. A file holds English sentences, or steps in YAML or JSON: docs/steps.md.

  errand steps "Search for kettle and open Brindle Kettle."
  errand steps --check errand.txt
  errand steps --check errand.txt --yaml > errand.yaml

Exit codes: 0 all of it is understood, 2 something is not, or wrong usage.`;

const NOT_UNDERSTOOD = 2;

export function addStepsCommand(program: Command): void {
  program
    .command("steps")
    .description("show the steps of an errand without running it")
    .argument("[prompt]", "the sentences to explain")
    .option("--check <file>", "explain what this file says; - reads standard input")
    .option("--yaml", "print the steps as a file for errand run --steps")
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(explain);
}

async function explain(prompt: string | undefined, options: StepsOptions, command: Command): Promise<void> {
  const { check, yaml, json } = options;
  if ((prompt === undefined) === (check === undefined))
    command.error("error: give either a prompt or --check with a file");
  if (yaml === true && json === true) command.error("error: --yaml and --json cannot be used together");
  // Loaded lazily, so that other commands start fast.
  const [{ readPromptFile }, { isStepFileName, understandSteps, writeStepFile }] = await Promise.all([
    import("./text-input.ts"),
    import("../app/understood-steps.ts"),
  ]);
  const text = check === undefined ? (prompt ?? "") : await readPromptFile(check, "--check");
  const understood = understandSteps(text, { isFile: check !== undefined && isStepFileName(check) });
  if (understood.problem !== null) process.exitCode = NOT_UNDERSTOOD;
  if (yaml !== true || understood.problem !== null) await printExplanation(understood, json);
  else process.stdout.write(writeStepFile(understood));
}

async function printExplanation(understood: UnderstoodSteps, json: boolean | undefined): Promise<void> {
  const { describeStep } = await import("../agent/steps/describe-step.ts");
  const { describeProblem } = await import("../app/understood-steps.ts");
  const { startUrl, problem } = understood;
  const steps = understood.steps.map(({ said, step }) => ({ said, does: describeStep(step), step }));
  printResult(json, { understood: problem === null, start_url: startUrl, steps, problem }, [
    ...(startUrl === null ? [] : [`Start at ${clean(startUrl)}`]),
    ...steps.flatMap(({ said, does }, index) => describeLine(`${index + 1}.`.padStart(4), said, does)),
    ...(problem === null
      ? [`Understood: ${pluralize(steps.length, "step")}. Nothing was run.`]
      : [
          ...describeProblem(problem).map((line, index) =>
            index === 0 ? `${paint(process.stdout, ["bold", "red"], "✗")} ${clean(line)}` : `  ${clean(line)}`,
          ),
          ...(steps.length === 0 ? [] : [`  Understood before it: ${pluralize(steps.length, "step")}.`]),
        ]),
  ]);
}

/** What was said and what it means; only the meaning for the step of a file. */
function describeLine(number: string, said: string | null, does: string): string[] {
  if (said === null) return [`${number} ${clean(does)}`];
  return [
    `${number} ${clean(said)}`,
    `${" ".repeat(number.length)} ${paint(process.stdout, "dim", `→ ${clean(does)}`)}`,
  ];
}
