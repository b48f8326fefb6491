export interface Application {
  id: string;
  ownerId: string;
  name: string;
  type: "public" | "confidential";
  redirectUris: string[];
  homeUrl: string | null;
  signInUrl: string | null;
  allowedHosts: string[];
  /** `read_only`: runs may look, and change nothing. */
  access: "all" | "read_only";
  requirePkce: boolean;
  createdAt: Date;
}
