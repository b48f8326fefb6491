import type { FirstErrands } from "../../console/first-errand.ts";
import type { Owners } from "../../console/owners.ts";
import type { Setup } from "../../console/setup.ts";
import type { InstallationStatus } from "../../console/status.ts";

/** What the console needs for people and for the installation itself. */
export interface AccountDependencies {
  setup: Setup;
  owners: Owners;
  status: InstallationStatus;
  firstErrands: FirstErrands;
  executionPrice: number;
  /** What the build has made of web/. */
  folder: string;
}
