const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?([/?].*)?$/;
const MAX_LENGTH = 2_048;

/** Why this URI cannot be registered, or null when it can (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1). */
export function findRedirectUriProblem(uri: string): string | null {
  const url = URL.parse(uri);
  if (url === null || uri.length > MAX_LENGTH || /[\s\\]/.test(uri)) return "must be an absolute URI";
  if (!/^[\x21-\x7e]*$/.test(uri)) return "must percent-encode characters outside ASCII";
  if (uri.includes("#")) return "must not have a fragment";
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  // The host goes into the consent page's Content-Security-Policy: no character may end a source there.
  if (!/^[a-z0-9._:[\]-]*$/i.test(url.host)) return "must have a plain host name";
  if (url.protocol === "https:" || LOOPBACK.test(uri)) return null;
  if (url.protocol === "http:") return "must use https, unless it is a loopback address";
  // Native applications: a private-use scheme in reverse domain notation, which avoids collisions.
  if (/^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)) return null;
  return "must use https, http on a loopback address, or a scheme such as com.example.app";
}

/** Exact, except that a loopback address may differ in its port (RFC 8252 §7.3). */
export function matchesRedirectUri(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const known = LOOPBACK.exec(registered);
  const asked = LOOPBACK.exec(requested);
  return (
    known !== null &&
    asked !== null &&
    known[1] === asked[1] &&
    known[2] === asked[2] &&
    findRedirectUriProblem(requested) === null
  );
}
