import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { FileCost } from "./measure-file.ts";

interface Row extends FileCost {
  tests: number;
  wallMs: number;
  importMs: number;
  setUpMs: number;
  testMs: number;
}

const COLUMNS: readonly (readonly [heading: string, key: keyof Row])[] = [
  ["wall", "wallMs"],
  ["import", "importMs"],
  ["set-up", "setUpMs"],
  ["tests", "testMs"],
  ["worker", "workerCpuMs"],
  ["others", "otherCpuMs"],
  ["browsers", "browsers"],
  ["processes", "processes"],
  ["databases", "databases"],
  ["count", "tests"],
];

const NOT_MEASURED: FileCost = { workerCpuMs: 0, otherCpuMs: 0, browsers: 0, processes: 0, databases: 0 };

/** `npm test -- --times`: what each file took and started, slowest first. */
export class TimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map((module) => ({ row: toRow(module), file: relative(process.cwd(), module.moduleId) }));
    rows.sort((a, b) => b.row.wallMs - a.row.wallMs);
    console.log(
      "\n Seconds of each file: wall (import, set-up and tests), and CPU of its worker and of other processes",
    );
    console.log(COLUMNS.map(([heading]) => heading.padStart(10)).join(""));
    const total = COLUMNS.map(([, key]) => format(key, sum(rows.map(({ row }) => row[key]))));
    console.log(`${total.join("")}  in all ${rows.length} files`);
    for (const { row, file } of rows)
      console.log(`${COLUMNS.map(([, key]) => format(key, row[key])).join("")}  ${file}`);
  }
}

function toRow(module: TestModule): Row {
  const { collectDuration, duration, prepareDuration, environmentSetupDuration, setupDuration } = module.diagnostic();
  const tests = [...module.children.allTests()];
  const testMs = sum(tests.map((test) => test.diagnostic()?.duration ?? 0));
  const importMs = collectDuration + prepareDuration + environmentSetupDuration + setupDuration;
  return {
    tests: tests.length,
    wallMs: importMs + duration,
    importMs,
    // Concurrent tests can take longer together than their file.
    setUpMs: Math.max(0, duration - testMs),
    testMs,
    ...(module.meta().cost ?? NOT_MEASURED),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function format(key: keyof Row, value: number): string {
  return (key.endsWith("Ms") ? (value / 1000).toFixed(1) : String(value)).padStart(10);
}
