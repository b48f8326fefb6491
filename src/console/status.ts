import type { StatusCheck } from "../contract/console/account.ts";

/** How the installation is doing. Each check answers in a few seconds, whatever is wrong, and tells no secret. */
export interface InstallationStatus {
  check(): Promise<StatusCheck[]>;
}
