import type { BackupPart } from "./read-backup.ts";

/** Parts of a backup, with a look at the next one before it is taken. */
export interface PartReader {
  peek(): Promise<BackupPart | null>;
  take(): void;
  /** The rows of this table, as far as they come next. */
  rowsOf(table: string): AsyncGenerator<Buffer>;
}

export function createPartReader(parts: AsyncGenerator<BackupPart>): PartReader {
  let next: Promise<IteratorResult<BackupPart>> | null = null;

  async function peek(): Promise<BackupPart | null> {
    next ??= parts.next();
    const { done, value } = await next;
    return done === true ? null : value;
  }

  function take(): void {
    next = null;
  }

  return {
    peek,
    take,
    async *rowsOf(table) {
      for (;;) {
        const part = await peek();
        if (part?.kind !== "rows" || part.table !== table) return;
        take();
        yield part.data;
      }
    },
  };
}
