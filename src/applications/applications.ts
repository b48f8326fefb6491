import { CallerError, type ErrorDetail } from "../lib/caller-error.ts";
import { sha256 } from "../lib/hash.ts";
import { parseHostPattern } from "../lib/host-pattern.ts";
import { mintSecret } from "../lib/secret-token.ts";
import { isStorableText } from "../lib/text.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Application } from "./application.ts";
import type { ApplicationStore } from "./application-store.ts";
import { refuseRedirectUri } from "./redirect-uri.ts";

export type Registration = Omit<Application, "id" | "ownerId" | "createdAt">;

export interface Applications {
  /** Registers for the installation's first owner. The secret is told once. */
  register(registration: Registration): Promise<{ application: Application; clientSecret: string | null }>;
  list(): Promise<Application[]>;
  find(id: string): Promise<Application | null>;
  get(id: string): Promise<Application>;
  /** Of the live secrets, newest first. */
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
  /** A new secret beside the newest old one, so that a rotation needs no outage. */
  rotateSecret(id: string): Promise<string>;
}

const CLIENT_SECRET_PREFIX = "errand_cs_";
const LIVE_SECRETS = 2;
const NAME_MAX_LENGTH = 100;

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

  return {
    find,
    get,
    list: () => store.list(),
    listSecretHashes: store.listSecretHashes,

    async register(registration) {
      const details = findMistakes(registration);
      if (details.length > 0)
        throw new CallerError("INVALID_REQUEST", "The application cannot be registered like this.", { details });
      const clientSecret = registration.type === "confidential" ? mintSecret(CLIENT_SECRET_PREFIX) : null;
      const application = await store.insert(
        {
          ...registration,
          allowedHosts: registration.allowedHosts.map((host) => parseHostPattern(host)?.text ?? host),
          ownerId: await store.getFirstOwnerId(),
        },
        clientSecret === null ? null : sha256(clientSecret),
      );
      return { application, clientSecret };
    },

    async rotateSecret(id) {
      const application = await get(id);
      if (application.type === "public") {
        throw new CallerError(
          "INVALID_REQUEST",
          `"${application.name}" is a public application: it has no secret to rotate.`,
        );
      }
      const secret = mintSecret(CLIENT_SECRET_PREFIX);
      await store.rotateSecret(application.id, sha256(secret), LIVE_SECRETS);
      return secret;
    },
  };
}

function findMistakes(registration: Registration): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const name = registration.name.trim();
  if (name === "" || name.length > NAME_MAX_LENGTH || !isStorableText(name)) {
    details.push({ path: "name", message: `must have 1 to ${NAME_MAX_LENGTH} characters` });
  }
  for (const uri of registration.redirectUris) {
    const refusal = refuseRedirectUri(uri);
    if (refusal !== null) details.push({ path: "redirect_uri", message: `${uri} ${refusal}` });
  }
  for (const [path, address] of [
    ["home_url", registration.homeUrl],
    ["sign_in_url", registration.signInUrl],
  ] as const) {
    if (address !== null && !isWebAddress(address))
      details.push({ path, message: `${address} must be an http or https address` });
  }
  for (const host of registration.allowedHosts) {
    if (parseHostPattern(host) === null)
      details.push({ path: "allowed_host", message: `${host} must be a host such as shop.example or *.shop.example` });
  }
  return details;
}

function isWebAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && isStorableText(address) && address.length <= 2_048;
}
