import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The dearest files, by `npm test -- --times`: one that starts last keeps one worker busy after the others have finished. */
const LONGEST: readonly string[] = [];

/** Vitest goes by the last run, or by size if there was none. Size says little here. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.includes(relative(import.meta.dirname, moduleId).replace(/^\.\.\//, ""));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
