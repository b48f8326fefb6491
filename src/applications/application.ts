export interface Application {
  id: string;
  ownerId: string;
  name: string;
  type: "public" | "confidential";
  redirectUris: string[];
  homeUrl: string | null;
  /** With one, people sign in to the site by hand when they connect. */
  signInUrl: string | null;
  /** The owner's own way to tell whether the site knows somebody: where to look, what they see, what strangers see. */
  signedInUrl: string | null;
  signedInText: string | null;
  signedOutText: string | null;
  allowedHosts: string[];
  /** `read_only`: runs may look, and change nothing. */
  access: "all" | "read_only";
  requirePkce: boolean;
  createdAt: Date;
}

/** What can be changed later. The type cannot: by it an application holds a secret or does not. */
export type ApplicationSettings = Omit<Application, "id" | "ownerId" | "type" | "createdAt">;

export interface ApplicationStore {
  /** Inserts the application and its first secret, if it has one, in one transaction. */
  insert(application: Omit<Application, "id" | "createdAt">, secretHash: Buffer | null): Promise<Application>;
  /**
   * Only what is named, in one transaction. An application that only looked and may now do everything leaves its connections
   * as REAUTHORIZATION_REQUIRED. Null when there is none.
   */
  update(id: string, changes: Partial<ApplicationSettings>): Promise<Application | null>;
  find(id: string): Promise<Application | null>;
  list(): Promise<Application[]>;
  /** Newest first. */
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
  /** Adds a secret and drops all but the newest `keep`, atomically. */
  rotateSecret(applicationId: string, secretHash: Buffer, keep: number): Promise<void>;
  /** Drops all but the newest. */
  dropOldSecrets(applicationId: string): Promise<void>;
  /** The installation's first owner, who exists from the first migration on. */
  getFirstOwnerId(): Promise<string>;
}

/** An application as it is told outside: by the command line and in the console. */
export function toApplicationWire(application: Application) {
  return {
    id: application.id,
    name: application.name,
    type: application.type,
    redirect_uris: application.redirectUris,
    home_url: application.homeUrl,
    sign_in_url: application.signInUrl,
    signed_in_url: application.signedInUrl,
    signed_in_text: application.signedInText,
    signed_out_text: application.signedOutText,
    allowed_hosts: application.allowedHosts,
    access: application.access,
    require_pkce: application.requirePkce,
    created_at: application.createdAt.toISOString(),
  };
}
