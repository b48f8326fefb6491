const MAX_CHARS = 300;

/** An address that can be shown: who is meant stays, the values of its query, its fragment and any password go. */
export function redactUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return "…";
  const keys = [...url.searchParams.keys()];
  const query = keys.length === 0 ? "" : `?${keys.map((key) => `${encodeURIComponent(key)}=…`).join("&")}`;
  const shown = `${url.protocol}//${url.host}${url.pathname}${query}`;
  return shown.length <= MAX_CHARS ? shown : `${shown.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
