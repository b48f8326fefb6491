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
