/** A migration as the database remembers it. */
export interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
  /** The oldest version whose code still runs on it; null where none was said: only its own. */
  runsWith: number | null;
}

interface KnownMigration {
  version: number;
  checksum: string;
}

/**
 * The migrations that are newer than this code and say that it still runs on them. Throws when the code does not fit: the
 * past was edited, or the schema has gone on to where this code cannot follow.
 */
export function findNewer(applied: readonly AppliedMigration[], known: readonly KnownMigration[]): string[] {
  const newest = known.at(-1)?.version ?? 0;
  const newer: string[] = [];
  for (const { version, name, checksum, runsWith } of applied) {
    const migration = known.find((candidate) => candidate.version === version);
    if (migration === undefined) {
      if (version <= newest) throw new Error(`The database has a migration ${name} that this Errand never had.`);
      if ((runsWith ?? version) > newest) throw new Error(describeTooNew(version, name, newest));
      newer.push(name);
    } else if (migration.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it had been applied. Migrations are append-only: put it back and add a new one.`,
      );
    }
  }
  return newer;
}

const RUNS_WITH = /^-- runs-with: (\d{1,4})$/;

/** `-- runs-with: 11` among the comments that a migration begins with. */
export function parseRunsWith(sql: string, version: number, name: string): number {
  const lines = sql.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("--"));
  const head = end === -1 ? lines : lines.slice(0, end);
  const said = head.filter((line) => line.includes("runs-with"));
  const [line] = said;
  if (line === undefined) return version;
  const runsWith = Number(RUNS_WITH.exec(line)?.[1] ?? Number.NaN);
  if (said.length > 1 || !(runsWith >= 1 && runsWith <= version)) {
    throw new Error(
      `Migration ${name} must say once, as "-- runs-with: N", which version from 1 to ${version} it means.`,
    );
  }
  return runsWith;
}

function describeTooNew(version: number, name: string, newest: number): string {
  return (
    `The database's schema is at version ${version} (${name}), newer than this Errand, which knows ${newest}, ` +
    "and this Errand does not run on it. Start the newer Errand here as well, or restore a backup made before it ran."
  );
}
