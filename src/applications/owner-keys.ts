import { CallerError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { isWellFormedSecret, mintSecret } from "../lib/secret-token.ts";
import { codePointLength, isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";

/**
 * Keys with which an owner manages applications over HTTP. They cannot create, see or change what users do with an
 * application: that takes the token of a connection.
 */
export interface OwnerKeys {
  /** The key itself is returned only here. */
  create(ownerId: string, request: NewOwnerKey): Promise<{ key: OwnerKey; secret: string }>;
  /** Newest first. */
  list(ownerId: string): Promise<OwnerKey[]>;
  /** Throws when the owner has no such key. */
  revoke(ownerId: string, keyId: string): Promise<void>;
  /** Null for an unknown or revoked key. */
  authenticate(secret: string): Promise<OwnerKey | null>;
  /** Whether the key's owner has this application, and the key is for it. */
  mayUse(key: OwnerKey, applicationId: string): Promise<boolean>;
}

export interface OwnerKey {
  id: string;
  ownerId: string;
  /** Null: all applications of the owner. */
  application: { id: string; name: string } | null;
  name: string;
  /** `read`: changes nothing. */
  scope: OwnerKeyScope;
  createdAt: Date;
  /** To the minute. Null if it was never used. */
  lastUsedAt: Date | null;
}

export type OwnerKeyScope = "read" | "manage";

interface NewOwnerKey {
  name: string;
  scope: OwnerKeyScope;
  applicationId: string | null;
}

export interface OwnerKeyStore {
  /** Null when the owner already has `maxKeys`. */
  insert(key: NewOwnerKey & { ownerId: string; keyHash: Buffer }, maxKeys: number): Promise<OwnerKey | null>;
  list(ownerId: string): Promise<OwnerKey[]>;
  /** False when the owner has no such key. */
  delete(ownerId: string, keyId: string): Promise<boolean>;
  /** Also records that it was used. */
  findByHash(keyHash: Buffer): Promise<OwnerKey | null>;
  ownsApplication(ownerId: string, applicationId: string): Promise<boolean>;
}

const PREFIX = "errand_ok_";
const NAME_MAX_LENGTH = 100;
const MAX_KEYS = 50;

export function createOwnerKeys({ store }: { store: OwnerKeyStore }): OwnerKeys {
  return {
    async create(ownerId, request) {
      const name = request.name.trim();
      const applicationId = request.applicationId === null ? null : parseUuid(request.applicationId);
      const isFine = name !== "" && codePointLength(name) <= NAME_MAX_LENGTH && isStorableText(name);
      if (!isFine) throw invalidField("name", `must have 1 to ${NAME_MAX_LENGTH} characters`);
      const isOwned = applicationId !== null && (await store.ownsApplication(ownerId, applicationId));
      if (request.applicationId !== null && !isOwned) {
        throw invalidField("application_id", "must be the id of one of your applications");
      }
      const secret = mintSecret(PREFIX);
      const fields = { ownerId, applicationId, name, scope: request.scope, keyHash: sha256(secret) };
      const key = await store.insert(fields, MAX_KEYS);
      if (key === null) {
        throw new CallerError(
          "INVALID_REQUEST",
          `You can have at most ${MAX_KEYS} API keys. Revoke one that is no longer used.`,
        );
      }
      return { key, secret };
    },

    list: (ownerId) => store.list(ownerId),

    async revoke(ownerId, keyId) {
      const id = parseUuid(keyId);
      const isRevoked = id !== null && (await store.delete(ownerId, id));
      if (!isRevoked) throw new CallerError("NOT_FOUND", "You have no API key with this id.");
    },

    authenticate: async (secret) => (isWellFormedSecret(PREFIX, secret) ? store.findByHash(sha256(secret)) : null),

    mayUse: async (key, applicationId) =>
      (key.application?.id ?? applicationId) === applicationId &&
      (await store.ownsApplication(key.ownerId, applicationId)),
  };
}

function invalidField(path: string, message: string): CallerError {
  return new CallerError("INVALID_REQUEST", `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
