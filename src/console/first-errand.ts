import type { Applications } from "../applications/applications.ts";
import type { Connections } from "../connections/connections.ts";
import type { ExecutionRecord } from "../executions/execution.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";

/** The first errand: runs on the demo shop, with an application and a connection of the owner's own. */
export interface FirstErrands {
  /** Null without the demo shop. */
  demoUrl: string | null;
  run(owner: { ownerId: string; userId: string }): Promise<ExecutionRecord>;
}

export interface FirstErrandStore {
  /** The owner's oldest application with this name and this home page. */
  findApplication(ownerId: string, name: string, homeUrl: string): Promise<{ id: string } | null>;
}

interface FirstErrandDependencies {
  store: FirstErrandStore;
  applications: Pick<Applications, "register">;
  connections: Pick<Connections, "open">;
  executions: Pick<Executions, "create">;
  demoUrl: string | null;
}

const NAME = "First errand";
/** Steps: it needs no model. */
const PROMPT = "Search for kettle, open Brindle Kettle and tell me its price.";

export function createFirstErrands(dependencies: FirstErrandDependencies): FirstErrands {
  const { store, applications, connections, executions, demoUrl } = dependencies;
  let previous: Promise<unknown> = Promise.resolve();

  async function openApplication(ownerId: string, homeUrl: string): Promise<string> {
    const known = await store.findApplication(ownerId, NAME, homeUrl);
    if (known !== null) return known.id;
    const { application } = await applications.register({ name: NAME, type: "public", homeUrl }, ownerId);
    return application.id;
  }

  return {
    demoUrl,

    async run({ ownerId, userId }) {
      if (demoUrl === null) throw new CallerError("NOT_FOUND", NO_DEMO);
      const homeUrl = new URL("/", demoUrl).href;
      // One at a time, so that two clicks create one application.
      const opening = previous.then(() => openApplication(ownerId, homeUrl));
      previous = opening.catch(() => {});
      const connection = await connections.open(await opening, userId);
      const { execution } = await executions.create(connection.id, { prompt: PROMPT, start_url: homeUrl }, null);
      return execution;
    },
  };
}

const NO_DEMO =
  "The demo shop is not running in this process. Run “errand start” with both roles and without ERRAND_DEMO=false.";
