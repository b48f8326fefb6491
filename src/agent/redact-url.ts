/** An address that can be shown: who is meant stays, the values of its query, its fragment and any password go. */
export function redactUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return "…";
  const keys = [...url.searchParams.keys()];
  const query = keys.length === 0 ? "" : `?${keys.map((key) => `${encodeURIComponent(key)}=…`).join("&")}`;
  return `${url.protocol}//${url.host}${url.pathname}${query}`;
}
