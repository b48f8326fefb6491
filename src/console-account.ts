import { join } from "node:path";
import type { People } from "./accounts/people.ts";
import type { Applications } from "./applications/applications.ts";
import type { Config } from "./config/config.ts";
import type { Connections } from "./connections/connections.ts";
import { createFirstErrands } from "./console/first-errand.ts";
import { createOwners } from "./console/owners.ts";
import { createSetup } from "./console/setup.ts";
import { createInstallationStatus } from "./console-status.ts";
import type { ArtifactFiles } from "./executions/artifact-store.ts";
import type { Executions } from "./executions/executions.ts";
import type { AccountDependencies } from "./http/console/account-dependencies.ts";
import type { Database } from "./storage/database.ts";
import { createFirstErrandStore, createOwnerStore, createSetupStore } from "./storage/sql-console-account.ts";

export interface ConsoleAccountOptions {
  config: Config;
  database: Database;
  artifactFiles: ArtifactFiles;
  people: People;
  setupKey: Buffer;
  applications: Applications;
  connections: Connections;
  executions: Executions;
  /** Throws when no browser can be had; undefined in a process that has none. */
  checkReady: (() => Promise<void>) | undefined;
  demoUrl: string | null;
  /** Where the build of the console is, unless in its usual place. */
  folder: string | undefined;
}

const BUILT_CONSOLE = join(import.meta.dirname, "../web/dist");

/** The part of the console that is about people and about the installation itself. */
export function createConsoleAccount(options: ConsoleAccountOptions): AccountDependencies {
  const { config, database, people, setupKey, demoUrl, folder = BUILT_CONSOLE } = options;
  return {
    setup: createSetup({ store: createSetupStore(database), people, key: setupKey }),
    owners: createOwners({ store: createOwnerStore(database), publicUrl: config.publicUrl }),
    status: createInstallationStatus(options),
    firstErrands: createFirstErrands({ ...options, store: createFirstErrandStore(database), demoUrl }),
    executionPrice: config.executionPrice,
    folder,
  };
}
