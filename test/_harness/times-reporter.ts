import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

interface Row {
  file: string;
  tests: number;
  wallMs: number;
  importMs: number;
  setUpMs: number;
  testMs: number;
  workerCpuMs: number;
  otherCpuMs: number;
  browsers: number;
  processes: number;
  databases: number;
}

/** `npm test -- --times`: what each file took and started, dearest first. */
export class TimesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(toRow).sort((a, b) => b.wallMs - a.wallMs);
    const total = { ...sum(rows), file: `${rows.length} files` };
    const lines = [total, ...rows].map((row) => {
      const times = [row.wallMs, row.importMs, row.setUpMs, row.testMs, row.workerCpuMs, row.otherCpuMs].map(seconds);
      const counts = [row.browsers, row.processes, row.databases, row.tests].map(count);
      return `${[...times, ...counts].join("")}  ${row.file}`;
    });
    console.log("\n Seconds of each file: wall (import, set-up, tests) and CPU; what it started");
    console.log("   wall  import  set-up   tests  worker  others browser process database tests");
    console.log(`${lines.join("\n")}\n`);
  }
}

function toRow(module: TestModule): Row {
  const { collectDuration, duration, prepareDuration, environmentSetupDuration, setupDuration } = module.diagnostic();
  const tests = [...module.children.allTests()];
  const testMs = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
  const importMs = collectDuration + prepareDuration + environmentSetupDuration + setupDuration;
  const cost = module.meta().cost ?? { workerCpuMs: 0, otherCpuMs: 0, browsers: 0, processes: 0, databases: 0 };
  return {
    file: relative(process.cwd(), module.moduleId),
    tests: tests.length,
    wallMs: importMs + duration,
    importMs,
    setUpMs: Math.max(0, duration - testMs),
    testMs,
    ...cost,
  };
}

function sum(rows: Row[]): Omit<Row, "file"> {
  const add = (key: keyof Omit<Row, "file">) => rows.reduce((total, row) => total + row[key], 0);
  return {
    tests: add("tests"),
    wallMs: add("wallMs"),
    importMs: add("importMs"),
    setUpMs: add("setUpMs"),
    testMs: add("testMs"),
    workerCpuMs: add("workerCpuMs"),
    otherCpuMs: add("otherCpuMs"),
    browsers: add("browsers"),
    processes: add("processes"),
    databases: add("databases"),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(8);
}

function count(value: number): string {
  return String(value).padStart(8);
}
