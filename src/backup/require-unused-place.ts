import type { ArtifactListing } from "../executions/artifact-store.ts";
import { CallerError } from "../lib/caller-error.ts";

/**
 * Refuses a place in which there are artifacts already: they belong to an installation that may go on, and each of two
 * that share a place removes what the other needs.
 */
export async function requireUnusedPlace(files: ArtifactListing, place: string): Promise<void> {
  for await (const _file of files.list()) {
    throw new CallerError(
      "PLACE_IN_USE",
      `There are artifacts in ${place} already, of another installation or of an earlier attempt: nothing was restored. ` +
        "Choose another place (ERRAND_ARTIFACTS_S3_PREFIX or ERRAND_ARTIFACTS_S3_BUCKET, or --data-dir for the disk), " +
        "or leave that place alone with --without-artifacts: then those that are there under the same ids are found, and others answer 410.",
    );
  }
}
