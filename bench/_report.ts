import { arch, cpus, platform, totalmem } from "node:os";
import type { Database } from "../src/storage/database.ts";
import type { ComparisonResult, Measurement } from "./_measure.ts";

export interface Machine {
  system: string;
  cores: number;
  cpu: string;
  memoryGb: number;
  node: string;
  postgres: string;
}

export async function describeMachine({ pool }: Database): Promise<Machine> {
  const { rows } = await pool.query<{ server_version: string }>("show server_version");
  return {
    system: `${platform()} ${arch()}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? "unknown",
  };
}

export function formatMachine({ system, cores, cpu, memoryGb, node, postgres }: Machine): string {
  return `${system}, ${cores} cores (${cpu}), ${memoryGb} GB; Node ${node}, PostgreSQL ${postgres}`;
}

export function formatMeasurements(measurements: Measurement[]): string {
  return formatTable(
    ["measured", "per second", "p50 ms", "p99 ms", "CPU µs", "calls"],
    measurements.map(({ name, perSecond, p50Ms, p99Ms, cpuMicroseconds, calls }) => [
      name,
      perSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      cpuMicroseconds?.toFixed(0) ?? "-",
      String(calls),
    ]),
  );
}

export function formatComparisons(comparisons: ComparisonResult[]): string {
  return formatTable(
    ["compared", "of", "ratio", "rounds", "aim", "met"],
    comparisons.map(({ name, by, ratio, lowest, highest, aim, met }) => [
      name,
      by,
      ratio.toFixed(2),
      `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
      formatAim(aim),
      met === null ? "" : met ? "yes" : "NO",
    ]),
  );
}

function formatAim(aim: ComparisonResult["aim"]): string {
  if (aim === null) return "";
  return "atLeast" in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
}

/** Markdown, so that it can be copied into the documentation as it is. */
export function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
