import { CallerError, type ErrorDetail } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { parseHostPattern } from "../lib/hosts.ts";
import { mintSecret } from "../lib/secret-token.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Application, ApplicationSettings, ApplicationStore } from "./application.ts";
import { findRedirectUriProblem } from "./redirect-uri.ts";

/** Omitted settings take their value from `DEFAULTS`. */
export type Registration = Pick<RegistrationDetails, "name" | "type"> & Partial<RegistrationDetails>;

export interface Applications {
  /** Registers for this owner, or for the installation's first owner. The secret is returned only here. */
  register(
    registration: Registration,
    ownerId?: string,
  ): Promise<{ application: Application; clientSecret: string | null }>;
  /**
   * Omitted settings stay as they are; the checks are those of a registration. Users who consented to `read_only` have not
   * consented to more: when access becomes `all`, every connection requires re-authorization.
   */
  change(id: string, changes: Partial<ApplicationSettings>): Promise<Application>;
  list(): Promise<Application[]>;
  find(id: string): Promise<Application | null>;
  get(id: string): Promise<Application>;
  /** The only application that accepts MCP clients; null when there is none or more than one. */
  findForMcpClients(): Promise<Application | null>;
  /** Hashes of the valid secrets, newest first. */
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
  /** The newest old secret stays valid beside the new one, so that a rotation needs no downtime. */
  rotateSecret(id: string): Promise<string>;
  /** Leaves only the newest secret valid. */
  dropOldSecrets(id: string): Promise<void>;
}

const CLIENT_SECRET_PREFIX = "errand_cs_";
const LIVE_SECRETS = 2;
const DEFAULTS: Omit<RegistrationDetails, "name" | "type"> = {
  redirectUris: [],
  homeUrl: null,
  signInUrl: null,
  signedInUrl: null,
  signedInText: null,
  signedOutText: null,
  allowedHosts: [],
  access: "all",
  approval: "never",
  requirePkce: false,
  mcpClients: false,
  storedCredentials: false,
  recipes: true,
};

export function createApplications({ store }: { store: ApplicationStore }): Applications {
  async function find(id: string): Promise<Application | null> {
    const uuid = parseUuid(id);
    return uuid === null ? null : store.find(uuid);
  }

  async function get(id: string): Promise<Application> {
    const application = await find(id);
    if (application === null) {
      throw new CallerError("NOT_FOUND", `There is no application ${id}. "errand app list" shows them all.`);
    }
    return application;
  }

  async function getConfidential(id: string): Promise<Application> {
    const application = await get(id);
    if (application.type === "public") {
      throw new CallerError("INVALID_REQUEST", `"${application.name}" is a public application and has no secret.`);
    }
    return application;
  }

  return {
    find,
    get,
    list: () => store.list(),
    findForMcpClients: store.findForMcpClients,
    listSecretHashes: store.listSecretHashes,

    async register(given, ownerId) {
      const registration: RegistrationDetails = { ...DEFAULTS, ...given };
      requireValid(registration);
      const clientSecret = registration.type === "confidential" ? mintSecret(CLIENT_SECRET_PREFIX) : null;
      const application = await store.insert(
        {
          ...registration,
          allowedHosts: registration.allowedHosts.map(normalizeHost),
          ownerId: ownerId ?? (await store.getFirstOwnerId()),
        },
        clientSecret === null ? null : sha256(clientSecret),
      );
      return { application, clientSecret };
    },

    async change(id, changes) {
      const application = await get(id);
      requireValid({ ...application, ...changes });
      const { allowedHosts } = changes;
      const changed = await store.update(application.id, {
        ...changes,
        ...(allowedHosts === undefined ? {} : { allowedHosts: allowedHosts.map(normalizeHost) }),
      });
      return changed ?? get(id);
    },

    async rotateSecret(id) {
      const application = await getConfidential(id);
      const secret = mintSecret(CLIENT_SECRET_PREFIX);
      await store.rotateSecret(application.id, sha256(secret), LIVE_SECRETS);
      return secret;
    },

    async dropOldSecrets(id) {
      const application = await getConfidential(id);
      await store.dropOldSecrets(application.id);
    },
  };
}

function requireValid(registration: RegistrationDetails): void {
  const details = findRegistrationProblems(registration);
  if (details.length > 0)
    throw new CallerError("INVALID_REQUEST", "The application's settings are not valid.", { details });
}

/** In canonical spelling. */
function normalizeHost(host: string): string {
  return parseHostPattern(host)?.text ?? host;
}

type RegistrationDetails = Omit<Application, "id" | "ownerId" | "createdAt">;

const NAME_MAX_LENGTH = 100;
const TEXT_MAX_LENGTH = 200;
const URL_MAX_LENGTH = 2_048;

/** All problems at once, by field name. */
function findRegistrationProblems(registration: RegistrationDetails): ErrorDetail[] {
  const { name, redirectUris, allowedHosts, homeUrl, signInUrl, signedInUrl, signedInText, signedOutText } =
    registration;
  return [
    { path: "name", message: findTextProblem(name.trim(), NAME_MAX_LENGTH) },
    ...redirectUris.map((uri) => ({
      path: "redirect_uri",
      message: prefixWithValue(uri, findRedirectUriProblem(uri)),
    })),
    { path: "home_url", message: findUrlProblem(homeUrl) },
    { path: "sign_in_url", message: findUrlProblem(signInUrl) },
    { path: "signed_in_url", message: findUrlProblem(signedInUrl) },
    { path: "signed_in_text", message: findTextProblem(signedInText, TEXT_MAX_LENGTH) },
    { path: "signed_out_text", message: findTextProblem(signedOutText, TEXT_MAX_LENGTH) },
    ...allowedHosts.map((host) => ({ path: "allowed_host", message: findHostProblem(host) })),
  ].filter((detail): detail is ErrorDetail => detail.message !== null);
}

function prefixWithValue(value: string, refusal: string | null): string | null {
  return refusal === null ? null : `${value} ${refusal}`;
}

function findTextProblem(text: string | null, maxLength: number): string | null {
  const isFine = text === null || (text.trim() !== "" && text.length <= maxLength && isStorableText(text));
  return isFine ? null : `must have 1 to ${maxLength} characters`;
}

function findUrlProblem(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  const isFine =
    text === null ||
    (url !== null && /^https?:$/.test(url.protocol) && isStorableText(text) && text.length <= URL_MAX_LENGTH);
  if (!isFine) return `${text} must be an http or https URL`;
  // The value is not repeated: the password may be a real one.
  const isPlain = url === null || (url.username === "" && url.password === "");
  return isPlain ? null : "must not have a user name or password";
}

function findHostProblem(host: string): string | null {
  return parseHostPattern(host) === null ? `${host} must be a host such as shop.example or *.shop.example` : null;
}
