import type { Connections } from "./connections.ts";
import type { SignInStore } from "./vault/sign-in-store.ts";

interface DeletionParts {
  connections: Pick<Connections, "get">;
  signIns: Pick<SignInStore, "delete">;
}

/**
 * Forgets by what the site knows the user, and stops what would have used it. The connection and its token stay, and wait
 * for the user to sign in again. False when there was nothing to forget; throws when there is no such connection.
 */
export async function deleteSignIn(connectionId: string, { connections, signIns }: DeletionParts): Promise<boolean> {
  const { id } = await connections.get(connectionId);
  return signIns.delete(id);
}
