import { type Application, type ApplicationSettings, toApplicationWire } from "../applications/application.ts";
import type { Applications } from "../applications/applications.ts";
import type {
  ApplicationChanges,
  ConsoleApplication,
  CreatedApplication,
  NewApplicationBody,
} from "../contract/console/applications.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";

/** Managing an owner's applications. Another owner's application is reported as not found. */
export interface ConsoleApplications {
  list(ownerId: string): Promise<ConsoleApplication[]>;
  get(ownerId: string, id: string): Promise<ConsoleApplication>;
  /** Throws unless the owner has it; returns the id in canonical spelling. */
  requireOwned(ownerId: string, id: string): Promise<string>;
  create(ownerId: string, body: NewApplicationBody): Promise<CreatedApplication>;
  change(ownerId: string, id: string, changes: ApplicationChanges): Promise<ConsoleApplication>;
  /** The new secret. */
  rotateSecret(ownerId: string, id: string): Promise<string>;
  dropOldSecrets(ownerId: string, id: string): Promise<void>;
  /** The name must be typed as a confirmation. */
  delete(ownerId: string, id: string, typedName: string): Promise<void>;
}

interface ConsoleApplicationsDependencies {
  store: ConsoleApplicationStore;
  applications: Pick<Applications, "register" | "change" | "rotateSecret" | "dropOldSecrets">;
}

export function createConsoleApplications({
  store,
  applications,
}: ConsoleApplicationsDependencies): ConsoleApplications {
  async function getOwned(ownerId: string, id: string): Promise<OwnedApplication> {
    const uuid = parseUuid(id);
    const application = uuid === null ? null : await store.find(ownerId, uuid);
    if (application === null) throw new CallerError("NOT_FOUND", "You have no application with this id.");
    return application;
  }

  async function get(ownerId: string, id: string): Promise<ConsoleApplication> {
    return toWire(await getOwned(ownerId, id));
  }

  async function requireOwned(ownerId: string, id: string): Promise<string> {
    return (await getOwned(ownerId, id)).id;
  }

  return {
    get,
    requireOwned,
    list: async (ownerId) => (await store.list(ownerId)).map(toWire),

    async create(ownerId, { type, name, ...settings }) {
      const registration = { type, ...toSettings(settings), name: name.trim() };
      const { application, clientSecret } = await withListFieldNames(() =>
        applications.register(registration, ownerId),
      );
      return { application: await get(ownerId, application.id), client_secret: clientSecret };
    },

    async change(ownerId, id, changes) {
      const applicationId = await requireOwned(ownerId, id);
      await withListFieldNames(() => applications.change(applicationId, toSettings(changes)));
      return get(ownerId, applicationId);
    },

    async rotateSecret(ownerId, id) {
      return applications.rotateSecret(await requireOwned(ownerId, id));
    },

    async dropOldSecrets(ownerId, id) {
      await applications.dropOldSecrets(await requireOwned(ownerId, id));
    },

    async delete(ownerId, id, typedName) {
      const application = await getOwned(ownerId, id);
      if (typedName.trim() !== application.name.trim()) {
        throw new CallerError("INVALID_REQUEST", "The typed name is not the application's name.", {
          details: [{ path: "name", message: "must be the application's name" }],
        });
      }
      await store.delete(application.id);
    },
  };
}

/** Only the given fields: omitted settings stay as they are. */
function toSettings(body: ApplicationChanges): Partial<ApplicationSettings> {
  const settings: { [Name in keyof ApplicationSettings]: ApplicationSettings[Name] | undefined } = {
    name: body.name?.trim(),
    redirectUris: body.redirect_uris,
    homeUrl: body.home_url,
    signInUrl: body.sign_in_url,
    signedInUrl: body.signed_in_url,
    signedInText: body.signed_in_text,
    signedOutText: body.signed_out_text,
    allowedHosts: body.allowed_hosts,
    access: body.access,
    approval: body.approval,
    requirePkce: body.require_pkce,
    mcpClients: body.mcp_clients,
    storedCredentials: body.stored_credentials,
    recipes: body.recipes,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Renames fields in error details: registration reports single URIs and hosts, and here they are lists. */
async function withListFieldNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CallerError) || error.details === undefined) throw error;
    const details = error.details.map((detail) => ({ ...detail, path: LIST_FIELDS[detail.path] ?? detail.path }));
    throw new CallerError(error.code, error.message, { details });
  }
}

const LIST_FIELDS: Record<string, string> = { redirect_uri: "redirect_uris", allowed_host: "allowed_hosts" };

function toWire(application: OwnedApplication): ConsoleApplication {
  return {
    ...toApplicationWire(application),
    secrets_created_at: application.secretsCreatedAt.map((date) => date.toISOString()),
    connections: application.connections,
    recent_executions: application.recentExecutions,
  };
}

/** An application with what its owner sees beside its settings. */
export interface OwnedApplication extends Application {
  /** Of the valid secrets, newest first. */
  secretsCreatedAt: Date[];
  connections: number;
  /** Executions created in the last 24 hours. */
  recentExecutions: number;
}

export interface ConsoleApplicationStore {
  /** Oldest first. */
  list(ownerId: string): Promise<OwnedApplication[]>;
  /** Null when this owner has no application with this id. */
  find(ownerId: string, id: string): Promise<OwnedApplication | null>;
  /**
   * Also deletes its connections and their executions, as `ConsoleConnectionStore.delete` does. The application is unusable
   * from the first step on.
   */
  delete(id: string): Promise<void>;
}
