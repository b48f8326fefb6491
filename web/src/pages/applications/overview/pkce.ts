export interface Pkce {
  verifier: string;
  challenge: string;
}

const RANDOM_BYTES = 32;

/** Null where the browser does no cryptography: on a page that is neither https nor of this machine. */
export async function newPkce(): Promise<Pkce | null> {
  if (globalThis.crypto.subtle === undefined) return null;
  const verifier = randomText();
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(digest)) };
}

/** For a state or a verifier: what nobody can guess. */
export function randomText(): string {
  return toBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
