export interface Application {
  id: string;
  ownerId: string;
  name: string;
  type: "public" | "confidential";
  redirectUris: string[];
  homeUrl: string | null;
  /** When set, people sign in to the site by hand when they connect. */
  signInUrl: string | null;
  /** The owner's own rule for "signed in": which page to open, a text that only signed-in users see there, one that only others see. */
  signedInUrl: string | null;
  signedInText: string | null;
  signedOutText: string | null;
  allowedHosts: string[];
  /** `read_only`: runs must not change anything. */
  access: "all" | "read_only";
  /** `commits`: runs wait for a person before anything is bought, sent, published or deleted. */
  approval: "never" | "commits";
  requirePkce: boolean;
  /** Whether users may let MCP clients use it that are not registered here, but describe themselves. */
  mcpClients: boolean;
  /** Whether users may store their credentials for the site, so that an expired sign-in renews itself. */
  storedCredentials: boolean;
  /** Whether its executions use recipes, and become recipes when they are verified. */
  recipes: boolean;
  createdAt: Date;
}

/** A program that a user lets use the application over MCP. Its tokens are for one MCP endpoint only. */
export interface McpClient {
  /** The URL of its metadata document, or the application's own id. */
  readonly id: string;
  readonly name: string;
  /** The URL of the MCP endpoint. */
  readonly resource: string;
}

/** Everything that can be changed later. The type cannot: it decides whether the application holds a secret. */
export type ApplicationSettings = Omit<Application, "id" | "ownerId" | "type" | "createdAt">;

export interface ApplicationStore {
  /** Inserts the application and its first secret, if it has one, in one transaction. */
  insert(application: Omit<Application, "id" | "createdAt">, secretHash: Buffer | null): Promise<Application>;
  /**
   * Changes the given settings only, in one transaction. Going from `read_only` to `all` sets the application's connections to
   * REAUTHORIZATION_REQUIRED. When stored credentials are no longer allowed, those of its connections are deleted. Null when there is no such application.
   */
  update(id: string, changes: Partial<ApplicationSettings>): Promise<Application | null>;
  find(id: string): Promise<Application | null>;
  list(): Promise<Application[]>;
  /** The only application that accepts MCP clients; null when there is none or more than one. */
  findForMcpClients(): Promise<Application | null>;
  /** Newest first. */
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
  /** Adds a secret and deletes all but the newest `keep`, atomically. */
  rotateSecret(applicationId: string, secretHash: Buffer, keep: number): Promise<void>;
  /** Deletes all but the newest. */
  dropOldSecrets(applicationId: string): Promise<void>;
  /** The installation's first owner; the first migration creates it. */
  getFirstOwnerId(): Promise<string>;
}

/** An application as the command line prints it and the console receives it. */
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
    approval: application.approval,
    require_pkce: application.requirePkce,
    mcp_clients: application.mcpClients,
    stored_credentials: application.storedCredentials,
    recipes: application.recipes,
    created_at: application.createdAt.toISOString(),
  };
}
