const MAX_NAMES = 10;

/** One line for each property that was left out: "weight was not found", "colour was not found in 3 of 12". */
export function describeLeftOut(pointers: readonly string[], data: unknown): string[] {
  const counts = new Map<string, number>();
  for (const pointer of pointers) {
    const pattern = pointer.replace(/\/\d+(?=\/)/g, "/*");
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const lines = [...counts].map(([pattern, count]) => {
    const rows = countRows(pattern, data);
    const isEverywhere = rows === null || count >= rows;
    return `${toName(pattern)} was not found${isEverywhere ? "" : ` in ${count} of ${rows}`}`;
  });
  const more = lines.length - MAX_NAMES;
  return more > 0 ? [...lines.slice(0, MAX_NAMES), `${more} other properties were not found`] : lines;
}

/** How many items the only list on the way to a property has; null when there is none, or lists in lists. */
function countRows(pattern: string, data: unknown): number | null {
  const [path = "", ...inner] = pattern.split("/*");
  if (inner.length !== 1) return null;
  let at = data;
  for (const step of path.split("/").slice(1)) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[decodeStep(step)] : undefined;
  }
  return Array.isArray(at) ? at.length : null;
}

/** Without the list that it stands in. */
function toName(pattern: string): string {
  const own = pattern.split("/*").at(-1) ?? pattern;
  return own.split("/").slice(1).map(decodeStep).join(".");
}

function decodeStep(step: string): string {
  return step.replace(/~1/g, "/").replace(/~0/g, "~");
}
