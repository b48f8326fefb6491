import type { Application } from "../applications/application.ts";
import type { Connection } from "../connections/connection.ts";
import { CallerError } from "../lib/caller-error.ts";
import type { Operations } from "../operations.ts";
import { UsageError } from "./usage-error.ts";

const NAME = "Command line";
/** Until the first owner has an account. No such address can sign up: it is no e-mail address. */
const OPERATOR = "operator@localhost";

/** The connection on which the operator runs errands: at one application, or at the command line's own. */
export async function openCommandLineConnection(
  { applications, connections, people }: Operations,
  applicationId: string | undefined,
): Promise<Connection> {
  const application =
    applicationId === undefined
      ? await getOwnApplication(applications)
      : await getNamedApplication(applications, applicationId);
  const person = (await people.findFirstOwner()) ?? (await people.findOrCreate(OPERATOR));
  return connections.open(application.id, person.id);
}

async function getNamedApplication(applications: Operations["applications"], id: string): Promise<Application> {
  try {
    return await applications.get(id);
  } catch (error) {
    const isUnknown = error instanceof CallerError && error.code === "NOT_FOUND";
    throw isUnknown ? new UsageError(`--application: ${error.message}`, { cause: error }) : error;
  }
}

/** Made on first use. Nobody can be sent through OAuth to it, because it has nowhere to send them back to. */
async function getOwnApplication(applications: Operations["applications"]): Promise<Application> {
  // The oldest: of two that were made at the same moment, everybody takes the same one from then on.
  const own = (await applications.list()).find(({ name, redirectUris }) => name === NAME && redirectUris.length === 0);
  if (own !== undefined) return own;
  const { application } = await applications.register({ name: NAME, type: "public", requirePkce: true });
  return application;
}
