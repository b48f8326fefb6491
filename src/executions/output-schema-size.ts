import { OUTPUT_SCHEMA_MAX_BYTES, OUTPUT_SCHEMA_MAX_DEPTH } from "../contract/execution.ts";

/** Depth first: a hostile one must not be walked by anything recursive. */
export function refuseOutputSchemaSize(schema: object): string | null {
  if (isDeeperThan(schema, OUTPUT_SCHEMA_MAX_DEPTH)) return `must be at most ${OUTPUT_SCHEMA_MAX_DEPTH} levels deep`;
  if (Buffer.byteLength(JSON.stringify(schema)) > OUTPUT_SCHEMA_MAX_BYTES)
    return `must have at most ${OUTPUT_SCHEMA_MAX_BYTES} bytes`;
  return null;
}

function isDeeperThan(root: object, maxDepth: number): boolean {
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) =>
      Object.values(item).filter((child): child is object => typeof child === "object" && child !== null),
    );
  }
  return false;
}
