import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest, by `npm test -- --times`. One that started last would keep one worker busy after all the others. */
const LONGEST = [
  "agent/gate/situations",
  "agent/recipes/changed-shop.ci",
  "agent/recipes/many.ci",
  "app/event-loop-acting.ci",
  "browser/egress/every-route.ci",
  "browser/session/verification.ci",
  "connections/sign-in/by-hand.ci",
  "faults/browser.ci",
  "faults/faults.ci",
  "python/sdk.ci",
  "spa/editors.nightly",
  "storage/embedded/server.ci",
].map((name) => `${name}.test.ts`);

/** Vitest goes by the last run, or by size if there was none. Size says little here. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const folder = join(import.meta.dirname, "..");
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.includes(relative(folder, moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
