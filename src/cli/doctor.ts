import type { Command } from "commander";
import { loadConfig } from "./options.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

const MARKS = { ok: "✓", warning: "!", problem: "✗" };

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("say what is wrong with this installation, and how to mend it")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const config = loadConfig(options);
      // Loaded here, so that the other commands need not wait for it.
      const { runAllChecks } = await import("./doctor-checks.ts");
      const findings = await runAllChecks(config);
      const ok = findings.every(({ status }) => status !== "problem");
      printResult(options.json, { ok, checks: findings }, [
        ...findings.flatMap(({ name, status, message, fix }) => [
          `${MARKS[status]} ${name.padEnd(9)} ${message}`,
          ...(fix === undefined ? [] : [`  ${"".padEnd(9)} → ${fix}`]),
        ]),
        ok ? "All is well." : "Something needs mending.",
      ]);
      if (!ok) process.exitCode = 1;
    });
}
