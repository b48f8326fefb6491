import { arch, cpus, platform, totalmem } from "node:os";
import type { Database } from "../../src/storage/database.ts";

export interface Machine {
  system: string;
  cores: number;
  cpu: string;
  memoryGb: number;
  node: string;
  /** Null for benchmarks that do not talk to the database themselves. */
  postgres: string | null;
}

export async function describeMachine(database: Database | null): Promise<Machine> {
  return {
    system: `${platform()} ${arch()}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    postgres: database === null ? null : await readPostgresVersion(database),
  };
}

async function readPostgresVersion({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>("show server_version");
  return rows[0]?.server_version ?? "unknown";
}

export function formatMachine({ system, cores, cpu, memoryGb, node, postgres }: Machine): string {
  const versions = `Node ${node}${postgres === null ? "" : `, PostgreSQL ${postgres}`}`;
  return `${system}, ${cores} cores (${cpu}), ${memoryGb} GB; ${versions}`;
}

/** Markdown, so that it can be copied into the documentation unchanged. */
export function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
