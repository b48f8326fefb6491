export interface Connection {
  id: string;
  applicationId: string;
  userId: string;
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
}

/** A connection as an operator sees it in a list. */
export interface ListedConnection extends Connection {
  applicationName: string;
  userEmail: string;
  createdAt: Date;
  /** When the user last signed in by hand, and when the site was last asked whether it knows them; null without a sign-in. */
  signedInAt: Date | null;
  checkedAt: Date | null;
}

export interface ConnectionFilter {
  applicationId: string | null;
  userEmail: string | null;
}
