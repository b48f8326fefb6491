import type { Command } from "commander";
import type { Finding } from "../app/health-checks.ts";
import { pluralize } from "../lib/pluralize.ts";
import type { NamedFinding } from "./doctor-checks.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig } from "./options.ts";
import { createLiveLines, printResult } from "./output.ts";

const MARKS = { ok: "✓", warning: "!", problem: "✗" };

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the installation and say how to fix problems")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const config = loadConfig(options);
      // Loaded lazily, so that other commands start fast.
      const { runAllChecks } = await import("./doctor-checks.ts");
      using lines = options.json === true ? null : createLiveLines();
      const findings: NamedFinding[] = [];
      for await (const finding of runAllChecks(config, (name) => lines?.setStatus(`Checking: ${name}`))) {
        findings.push(finding);
        lines?.setStatus(null);
        // As they are found: some of them take seconds.
        if (options.json !== true) process.stdout.write(`${describeFinding(finding)}\n`);
      }
      const ok = findings.every(({ status }) => status !== "problem");
      printResult(options.json, { ok, checks: findings }, [describeOutcome(findings)]);
      if (!ok) process.exitCode = 1;
    });
}

function describeFinding({ name, status, message, fix }: NamedFinding): string {
  const line = `${MARKS[status]} ${name.padEnd(9)} ${message}`;
  return fix === undefined ? line : `${line}\n  ${"".padEnd(9)} → ${fix}`;
}

function describeOutcome(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems + warnings === 0) return "No problems found.";
  const parts = [
    ...(problems === 0 ? [] : [pluralize(problems, "problem")]),
    ...(warnings === 0 ? [] : [pluralize(warnings, "warning")]),
  ];
  return `Found ${parts.join(" and ")}.`;
}
