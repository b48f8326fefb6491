/** Problems of a form: for each field, a sentence that says what to do. Empty if there are none. */
export type Problems = Record<string, string>;

export function hasProblems(problems: Problems): boolean {
  return Object.keys(problems).length > 0;
}
