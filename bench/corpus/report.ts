import { formatTable } from "../harness/report.ts";
import type { Grade } from "./judge.ts";

/** One prompt and what became of it. */
export interface Result {
  application: string;
  id: string;
  prompt: string;
  obstacle: string | null;
  grade: Grade;
  status: string;
  reason: string;
  answer: string | null;
  extracted: unknown;
  problems: string[];
  milliseconds: number;
}

const MAX_REASON = 300;

interface Counts {
  application: string;
  possible: number;
  right: number;
  refused: number;
  unproven: number;
  harm: number;
  impossible: number;
  honest: number;
  falseSuccesses: number;
}

export interface Report {
  byApplication: Counts[];
  all: Counts;
  minutes: number;
  results: Result[];
}

export function summarize(results: Result[], minutes: number): Report {
  const names = [...new Set(results.map(({ application }) => application))];
  const byApplication = names.map((name) =>
    count(
      name,
      results.filter(({ application }) => application === name),
    ),
  );
  return { byApplication, all: count("all", results), minutes, results };
}

export function formatReport({ byApplication, all, minutes, results }: Report): string {
  const header = [
    "application",
    "possible",
    "right",
    "refused",
    "unproven",
    "impossible",
    "honest",
    "harm",
    "false successes",
  ];
  const rows = [...byApplication, all].map((counts) => [
    counts.application,
    String(counts.possible),
    String(counts.right),
    String(counts.refused),
    String(counts.unproven),
    String(counts.impossible),
    String(counts.honest),
    String(counts.harm),
    String(counts.falseSuccesses),
  ]);
  const failed = results.filter(({ grade }) => grade !== "right" && grade !== "honest");
  const lines = failed.map(
    ({ application, id, grade, reason, problems }) =>
      `${application}/${id}: ${grade}. ${[...problems, reason].join(" ").replace(/\s+/g, " ").slice(0, MAX_REASON)}`,
  );
  return `${formatTable(header, rows)}\n${lines.map((line) => `${line}\n`).join("")}${minutes.toFixed(1)} minutes\n`;
}

function count(application: string, results: readonly Result[]): Counts {
  const of = (grade: Grade) => results.filter((result) => result.grade === grade).length;
  return {
    application,
    possible: results.filter(({ obstacle }) => obstacle === null).length,
    right: of("right"),
    refused: of("refused"),
    unproven: of("unproven"),
    harm: of("harm"),
    impossible: results.filter(({ obstacle }) => obstacle !== null).length,
    honest: of("honest"),
    falseSuccesses: of("false success"),
  };
}
