/** What is wrong with a form: the name of a field to a sentence that says what to do. Empty when all is well. */
export type Problems = Record<string, string>;

export function hasProblems(problems: Problems): boolean {
  return Object.keys(problems).length > 0;
}
